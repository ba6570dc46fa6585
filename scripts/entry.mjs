// Writes index.mjs, which is native.mjs and index.js as one ES module: importing a CommonJS file
// makes Node start its CommonJS loader, which takes longer than all of seatkit. Part of the build.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const SHARED = "// Whichever of index.js and index.mjs comes first makes the functions of both.\n";
const START = 'const native = require("./native.js");\n';
const END = SHARED + "module.exports = native.entry ??= module.exports;\n";

const source = readFileSync(join(project, "index.js"), "utf8");
const loader = readFileSync(join(project, "native.mjs"), "utf8");
const start = source.indexOf(START);
const exported = /^module\.exports\.(\w+) = \1;\n/gm;
const names = [...source.matchAll(exported)].map((match) => match[1]);
const body = source.slice(start + START.length).replace(exported, "").replace(END, "").trim();
if (start < 0 || !source.endsWith(END) || names.length === 0 || /\brequire\(|\bmodule\.exports\b/.test(body)) {
  console.error(`seatkit: index.js must begin with ${START}export by lines like "module.exports.name = name;", and end with ${END}`);
  process.exit(1);
}

const list = names.map((name) => `  ${name},\n`).join("");
writeFileSync(
  join(project, "index.mjs"),
  `// Generated from native.mjs and index.js by scripts/entry.mjs.

${loader}
function build() {
${body}

return {
${list}};
}

${SHARED}export const {
${list}} = (native.entry ??= build());
`,
);
