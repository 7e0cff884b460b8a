// Runs the Khronos validator over files: node validate.mjs FILE.glb|FILE.gltf…
//
// Prints all errors and warnings. Fails if there are any, or if no file was validated.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import validator from 'gltf-validator';

let bad = 0;
const infos = new Map();
const files = process.argv.slice(2);
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), {
    uri: file,
    maxIssues: 0,
    externalResourceFunction: async (uri) => new Uint8Array(readFileSync(join(dirname(file), decodeURIComponent(uri)))),
  });
  for (const issue of report.issues.messages) {
    if (issue.severity > 1) {
      infos.set(issue.code, (infos.get(issue.code) ?? 0) + 1);
      continue;
    }
    bad += 1;
    if (bad <= 50) {
      console.log(`${file}: ${issue.code} at ${issue.pointer}: ${issue.message}`);
    }
  }
}
const notes = [...infos].map(([code, count]) => `${code} ${count}`).join(', ');
console.log(`${files.length} files, ${bad} errors and warnings; notes: ${notes || 'none'}`);
if (bad > 0 || files.length === 0) {
  process.exit(1);
}
