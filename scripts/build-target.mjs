// Builds the addon for one of the six targets, as it is released, with what that needs:
//
//   node scripts/build-target.mjs TRIPLE [--output-dir DIR]
//
// Linux is linked by zig, gnu against glibc 2.17, whatever machine this is. macOS is linked by its own tools on a Mac,
// and by zig elsewhere, without an SDK: enough to see that it links.

import { join } from "node:path";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { project, run, rustStd, zig } from "./targets/tools.mjs";

const { targets, binaryName } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")).napi;
const { values, positionals } = parseArgs({ allowPositionals: true, options: { "output-dir": { type: "string", default: "." } } });
const [triple] = positionals;
if (!targets.includes(triple)) {
  console.error(`build-target: name one of ${targets.join(", ")}`);
  process.exit(2);
}

const [cpu, , system, libc] = triple.split("-");
const arch = { x86_64: "x64", aarch64: "arm64" }[cpu];
const file = join(values["output-dir"], `${binaryName}.${system}-${arch}${libc ? `-${libc}` : ""}.node`);
const native = system === "darwin" && process.platform === "darwin";
try {
  rustStd(triple);
  const args = ["scripts/build.mjs", "--output-dir", values["output-dir"], "--target", libc === "gnu" ? `${triple}.2.17` : triple];
  run(process.execPath, native ? args : [...args, "--cross-compile"], {
    env: {
      ...(native ? {} : zig(triple)),
      // The oldest macOS that Node 20 runs on; on Apple's processors the oldest that there is.
      MACOSX_DEPLOYMENT_TARGET: cpu === "aarch64" ? "11.0" : "10.15",
    },
  });
  if (!existsSync(join(project, file))) throw new Error(`${file} was not made`);
  if (system === "linux") run(process.execPath, ["scripts/glibc-floor.mjs", file]);
} catch (error) {
  console.error(`build-target: ${error.message}`);
  process.exitCode = 1;
}
