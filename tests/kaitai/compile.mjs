// Compiles Kaitai Struct definitions to Python: node compile.mjs OUT_DIR FILE.ksy…
//
// kaitai-struct-compiler has no command line, and takes the definition as an object, so this script parses the YAML.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const require = createRequire(join(process.cwd(), 'package.json'));
const compiler = require('kaitai-struct-compiler');
const yaml = require('js-yaml');

const [out, ...definitions] = process.argv.slice(2);
for (const path of definitions) {
  const definition = yaml.load(readFileSync(path, 'utf8'));
  const files = await compiler.compile('python', definition, null, false);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(out, name), text);
  }
}
