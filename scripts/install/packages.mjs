// Programs of the npm registry that the package is tried with.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Installs `dependencies` into `folder` unless it is just these that are there; the answer is where they are. */
export function place(folder, dependencies) {
  const manifest = JSON.stringify({ private: true, dependencies });
  const file = join(folder, "package.json");
  const modules = join(folder, "node_modules");
  const there = Object.keys(dependencies).every((name) => existsSync(join(modules, name)));
  if (there && readFileSync(file, "utf8") === manifest) return modules;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, manifest);
  const { status } = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error(`${Object.keys(dependencies).join(", ")} could not be installed`);
  return modules;
}
