// Lints what would be published: the packed main package with publint and arethetypeswrong.
//
//   node scripts/lint-package.mjs        (after `npm run pack:all`)

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const { name, version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
const tarball = join(project, "dist", `${name}-${version}.tgz`);

for (const [tool, ...args] of [
  ["publint", "run", tarball, "--strict"],
  ["attw", tarball],
]) {
  const { status, error } = spawnSync(join(project, "node_modules", ".bin", tool), args, { cwd: project, stdio: "inherit" });
  if (error || status !== 0) {
    console.error(`lint-package: ${tool} ${error ? error.message : "found problems"}`);
    process.exitCode = 1;
  }
}
