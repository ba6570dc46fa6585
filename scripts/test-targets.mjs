// Builds the addon for every target by zig, and tests each as far as this machine can:
//
//   node scripts/test-targets.mjs [--rust] [--if-possible] [TRIPLE...]
//
// On Linux x64 the suites of Rust and JavaScript run natively on glibc and musl, and by qemu for arm64; macOS is
// checked, linted and linked. What that takes is fetched from the registries (scripts/targets/tools.mjs). `--rust` leaves
// out all but the Rust suites and lints; with `--if-possible` a target for which the registries lack something counts as skipped.

import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compiled, javaScript, rust } from "./targets/suites.mjs";
import { Unavailable, project, run, rustStd } from "./targets/tools.mjs";

const { targets } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")).napi;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rust: { type: "boolean" }, "if-possible": { type: "boolean" } },
});
const unknown = positionals.find((name) => !targets.includes(name));
if (unknown) {
  console.error(`test-targets: ${unknown} is none of ${targets.join(", ")}`);
  process.exit(2);
}
if (process.platform !== "linux" || process.arch !== "x64") {
  console.error("test-targets: only Linux on x64 runs, emulates or links all the targets");
  process.exit(2);
}

// Tests that are left out by qemu, which tells of a program that cannot be started only by its exit code, 127.
const BY_QEMU = {
  rust: [],
  javaScript: [
    "a pane that is not there is unresolved, although tmux may say 0",
    "a wrong argument is a rejection, and an error has its code",
    "nothing is left behind: no descriptor, no child",
    "what cannot be started throws an Error with code, errno, syscall and path",
  ],
};

const folder = join("target", "targets");
const rows = [];
let failed = false;
function tell(triple, what, { ok, passed, skipped }, started) {
  failed ||= !ok;
  const counts = [passed === undefined ? [] : `${passed} passed`, skipped ? `${skipped} skipped` : []].flat();
  rows.push([triple, what, ok ? "ok" : "FAILED", counts.join(", "), `${Math.round((Date.now() - started) / 1000)} s`]);
}

async function test(triple) {
  const [cpu, , system, libc] = triple.split("-");
  const emulated = cpu === "aarch64" && system === "linux";
  const how = emulated ? "by qemu" : "natively";
  const skip = emulated ? BY_QEMU : {};
  rustStd(triple);
  if (!values.rust) {
    const started = Date.now();
    run(process.execPath, ["scripts/build-target.mjs", triple, "--output-dir", folder]);
    const addon = join(folder, `seatkit.${system}-${cpu === "aarch64" ? "arm64" : "x64"}${libc ? `-${libc}` : ""}.node`);
    tell(triple, `built, ${(statSync(join(project, addon)).size / 1e6).toFixed(2)} MB`, { ok: true }, started);
    if (system === "linux") {
      const tested = Date.now();
      // glibc on x64 is this machine's own.
      const node = triple === "x86_64-unknown-linux-gnu" ? process.execPath : undefined;
      tell(triple, `JavaScript, ${how}`, await javaScript(triple, join(project, addon), { emulated, skip: skip.javaScript, node }), tested);
    }
  }
  const started = Date.now();
  if (system === "darwin")
    tell(
      triple,
      values.rust ? "checked and linted" : "checked, linted and linked",
      await compiled(triple, { link: !values.rust }),
      started,
    );
  // The one that is this machine's own has its Rust suites run by `npm test`.
  else if (triple !== "x86_64-unknown-linux-gnu") tell(triple, `Rust, ${how}`, await rust(triple, { emulated, skip: skip.rust }), started);
}

mkdirSync(join(project, folder), { recursive: true });
for (const triple of positionals.length > 0 ? positionals : targets) {
  try {
    await test(triple);
  } catch (error) {
    if (values["if-possible"] && error instanceof Unavailable) {
      console.log(`SKIPPED: ${triple}: ${error.message}`);
      rows.push([triple, error.message, "SKIPPED"]);
      continue;
    }
    console.error(`test-targets: ${triple}: ${error.message}`);
    tell(triple, error.message, { ok: false }, Date.now());
  }
}
console.log("");
for (const row of rows) console.log(row.filter(Boolean).join(", "));
process.exitCode = failed ? 1 : 0;
