// Leaves the tarballs to publish in dist/: the main package, and a platform package for each
// addon that stands in the project's root (this machine's, after a build) or under npm/ (all six,
// after `napi artifacts`).
//
//   node scripts/pack.mjs [--complete]     `--complete` fails unless all targets are there
//
// The platform packages become optional dependencies of the main one only here: in the source
// manifest they would make `npm ci` ask for packages of a version that is not published yet.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(project, "dist");
const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

function fail(message) {
  console.error(`pack: ${message}`);
  process.exit(1);
}

/** Runs `npm pack` on a staged folder; the answer is npm's own list of what went in. */
function pack(folder) {
  const { status, stdout, stderr } = spawnSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", dist], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) fail(stderr);
  const answer = JSON.parse(stdout);
  // npm 10 answers a list, npm 12 an object by package name.
  return Array.isArray(answer) ? answer[0] : Object.values(answer)[0];
}

/** What a registry needs to tie a package to the workflow that built it. */
function repository() {
  const name = process.env.GITHUB_REPOSITORY;
  return name && { repository: { type: "git", url: `git+https://github.com/${name}.git` } };
}

function stage(name, files, json) {
  const folder = join(dist, "stage", name);
  mkdirSync(folder, { recursive: true });
  for (const [from, to] of files) cpSync(from, join(folder, to), { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(json, null, 2)}\n`);
  return folder;
}

/** The files that the manifest promises: entry points, their types and the command. */
function promised({ main, types, exports, bin }) {
  const paths = [];
  (function walk(value) {
    if (typeof value === "string") paths.push(value.replace(/^\.\//, ""));
    else if (value && typeof value === "object") Object.values(value).forEach(walk);
  })([main, types, exports, bin]);
  return [...new Set(paths)];
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

const platforms = readdirSync(join(project, "npm"));
const packed = [];
for (const platform of platforms) {
  const source = join(project, "npm", platform);
  const json = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  if (json.version !== manifest.version) fail(`npm/${platform} is ${json.version}, the package ${manifest.version}: napi create-npm-dirs`);
  const binary = [join(source, json.main), join(project, json.main)].find((path) => existsSync(path));
  if (!binary) continue;
  const folder = stage(
    json.name,
    [
      [join(source, "README.md"), "README.md"],
      [join(project, "LICENSE"), "LICENSE"],
      [binary, json.main],
    ],
    // Yarn keeps packages as archives, from which nothing loads a binary.
    { ...json, preferUnplugged: true, ...repository() },
  );
  packed.push(pack(folder));
}
if (packed.length === 0) fail("no addon to pack; npm run build makes this machine's");
if (process.argv.includes("--complete") && packed.length !== platforms.length) {
  fail(`only ${packed.map((p) => p.name).join(", ")} of ${platforms.length} platform packages have their binary`);
}

for (const file of manifest.files) {
  // npm leaves out what is not there without a word.
  if (!existsSync(join(project, file))) fail(`"files" lists ${file}, which does not exist`);
}
const { scripts, devDependencies, overrides, napi, ...published } = manifest;
const folder = stage(
  manifest.name,
  [...manifest.files, "README.md", "LICENSE"].filter((file) => existsSync(join(project, file))).map((file) => [join(project, file), file]),
  {
    ...published,
    ...repository(),
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [`${manifest.name}-${platform}`, manifest.version])),
  },
);
const main = pack(folder);
const inside = main.files.map((file) => file.path);
for (const path of promised(manifest)) {
  if (!inside.includes(path)) fail(`the manifest names ${path}, which is not in the tarball`);
}
const unwanted = inside.filter((path) => /\.(rs|toml|map|node|test\.[cm]?js)$|__test__/.test(path));
if (unwanted.length > 0) fail(`not for users: ${unwanted.join(", ")}`);
rmSync(join(dist, "stage"), { recursive: true });

for (const { filename, size, unpackedSize, entryCount } of [main, ...packed]) {
  const kb = (bytes) => `${(bytes / 1000).toFixed(0)} KB`;
  console.log(`dist/${filename}: ${kb(size)}, ${kb(unpackedSize)} unpacked, ${entryCount} files`);
}
