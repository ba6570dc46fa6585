// Fails when a Linux binary would not load where the package promises to:
//
//   node scripts/glibc-floor.mjs FILE.node...
//
// A gnu binary may use symbols of glibc up to 2.17 (the oldest that the cross toolchain of the
// release build offers, older than any Node 20 asks for), a musl one may not be linked to glibc at
// all. Read with `readelf`, which comes with every linker.

import { spawnSync } from "node:child_process";
import { basename } from "node:path";

const FLOOR = [2, 17];

function readelf(...args) {
  const { status, stdout, stderr, error } = spawnSync("readelf", ["--wide", ...args], { encoding: "utf8" });
  if (error || status !== 0) throw new Error(`readelf: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

/** Whether version `a` (`[2, 34]`) is newer than `b`. */
const newer = (a, b) => {
  const at = a.findIndex((part, i) => part !== (b[i] ?? 0));
  return at >= 0 && a[at] > (b[at] ?? 0);
};

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("glibc-floor: name the .node files to check");
  process.exit(2);
}
for (const file of files) {
  const needed = [...readelf("--dynamic", file).matchAll(/\(NEEDED\).*\[(.+)\]/g)].map((m) => m[1]);
  const versions = [...readelf("--version-info", file).matchAll(/GLIBC_(\d+(?:\.\d+)*)/g)]
    .map((m) => m[1].split(".").map(Number))
    .sort((a, b) => (newer(a, b) ? -1 : 1));
  const newest = versions[0];
  const musl = basename(file).includes("musl");
  const glibc = needed.includes("libc.so.6");
  let problem;
  if (musl && (glibc || newest)) problem = "is named musl but linked to glibc";
  else if (!musl && !newest) problem = "is linked to no glibc";
  else if (!musl && newer(newest, FLOOR)) problem = `needs glibc ${newest.join(".")}, newer than ${FLOOR.join(".")}`;
  if (problem) {
    console.error(`glibc-floor: ${file} ${problem}`);
    process.exitCode = 1;
  } else {
    console.log(`glibc-floor: ${file}: ${musl ? "musl" : `glibc ${newest.join(".")}`} (${needed.join(", ")})`);
  }
}
