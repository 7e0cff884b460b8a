// Validates SARIF logs against the schema of SARIF 2.1.0: node validate.cjs NODE_MODULES LOG…

const fs = require("fs");
const path = require("path");

const [modules, ...logs] = process.argv.slice(2);
const load = (name) => JSON.parse(fs.readFileSync(path.join(modules, name)));
const Ajv = require(path.join(modules, "ajv"));

const ajv = new Ajv({ schemaId: "auto", allErrors: true, logger: false });
ajv.addMetaSchema(load("ajv/lib/refs/json-schema-draft-04.json"));
const validate = ajv.compile(load("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"));

for (const name of logs) {
    const log = JSON.parse(fs.readFileSync(name));
    const results = log.runs[0].results.length;
    if (!validate(log) || results === 0) {
        console.error(name, results, "results", validate.errors);
        process.exit(1);
    }
    console.log(`${path.basename(name)}: valid, ${results} results`);
}
