// Packs and publishes all packages, after the binaries of every target were laid into artifacts/:
//
//   node scripts/release.mjs --dry-run | --publish
//
// It publishes from a workflow that npm trusts (no token is read), the platform packages first, so
// that the main package never names one that is not there. A version that is already published is
// left alone, so a run that broke off can be run again.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const { name, version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
const publish = process.argv.includes("--publish");
const napi = join(project, "node_modules", ".bin", "napi");

function fail(message) {
  console.error(`release: ${message}`);
  process.exit(1);
}

function run(command, args, { capture = false } = {}) {
  console.log(`$ ${[command, ...args].join(" ")}`);
  const result = spawnSync(command, args, {
    cwd: project,
    encoding: "utf8",
    stdio: capture ? ["ignore", "pipe", "pipe"] : "inherit",
  });
  if (result.error) fail(result.error.message);
  if (!capture && result.status !== 0) fail(`${command} exited with ${result.status}`);
  return result;
}

if (!publish && !process.argv.includes("--dry-run")) fail("say --dry-run or --publish");
const tag = process.env.GITHUB_REF_NAME;
if (publish && tag !== `v${version}`) fail(`the tag ${tag} is not v${version}`);

const artifacts = join(project, "artifacts");
if (!existsSync(artifacts) || readdirSync(artifacts).length === 0) fail("artifacts/ is empty: lay the binaries of every target there");
run(napi, ["create-npm-dirs"]);
run(napi, ["artifacts", "--output-dir", "artifacts"]);
const linux = readdirSync(join(project, "npm")).filter((platform) => platform.startsWith("linux-"));
run(process.execPath, ["scripts/glibc-floor.mjs", ...linux.map((platform) => join("npm", platform, `${name}.${platform}.node`))]);
run(process.execPath, ["scripts/pack.mjs", "--complete"]);
run(process.execPath, ["scripts/lint-package.mjs"]);

const tarballs = readdirSync(join(project, "dist")).filter((file) => file.endsWith(".tgz"));
const main = `${name}-${version}.tgz`;
for (const tarball of [...tarballs.filter((file) => file !== main), main]) {
  const spec = `${tarball.slice(0, -`-${version}.tgz`.length)}@${version}`;
  if (!publish) {
    console.log(`would publish ${spec}`);
    continue;
  }
  const known = run("npm", ["view", spec, "version"], { capture: true });
  if (known.status === 0 && known.stdout.trim() === version) {
    console.log(`${spec} is published already`);
    continue;
  }
  run("npm", ["publish", join("dist", tarball), "--provenance", "--access", "public", "--ignore-scripts"]);
}
