// Runs the suites of an agent SDK against seatkit, unmodified:
//
//   node scripts/conformance.mjs [DIR] [--from FILE] [--node PATH]
//
// DIR holds them (default: ../shared/sdk/lib/session, then `lib/session` of an installed
// @cohortapp/agent-sdk). Nothing is written there: the imports are redirected by a hook. `--from`
// takes seatkit as it is installed beside FILE instead of this checkout, `--node` another Node.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { modulesToReplace } from "./conformance-redirect.mjs";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const shared = join(project, "..", "shared");

/** `lib/session` of the SDK installed in this project, if there is one. */
function installedSdk() {
  for (const folder of createRequire(import.meta.url).resolve.paths("@cohortapp/agent-sdk") ?? []) {
    const sessions = join(folder, "@cohortapp/agent-sdk", "lib", "session");
    if (existsSync(sessions)) return sessions;
  }
  return undefined;
}

/** The suites of `folder` that import a module seatkit replaces. */
export function findSuites(folder) {
  if (!folder || !existsSync(folder)) return [];
  const imports = new RegExp(`["']\\./(?:${modulesToReplace.join("|")})\\.`);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".test.mjs"))
    .map((name) => join(folder, name))
    .filter((file) => imports.test(readFileSync(file, "utf8")))
    .sort();
}

/** Runs the suites, aloud unless `quiet`; the answer counts their tests. */
export function runSuites(suites, { folder, from = import.meta.url, node = process.execPath, quiet = false } = {}) {
  // Links resolved, because that is how the imports of the suites will be spelled.
  const real = realpathSync(folder);
  const scratch = mkdtempSync(join(tmpdir(), "seatkit-conformance-"));
  const tap = join(scratch, "out.tap");
  try {
    const { status } = spawnSync(
      node,
      [
        "--import",
        new URL("conformance-hook.mjs", import.meta.url).href,
        "--test",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        "--test-reporter=tap",
        `--test-reporter-destination=${tap}`,
        ...suites,
      ],
      {
        stdio: quiet ? "ignore" : "inherit",
        env: {
          // A surrounding `node --test` would otherwise make these suites report to it.
          ...Object.fromEntries(Object.entries(process.env).filter(([k]) => k !== "NODE_TEST_CONTEXT")),
          SEATKIT_CONFORMANCE_DIR: `${pathToFileURL(real).href}/`,
          SEATKIT_CONFORMANCE_FROM: from,
        },
      },
    );
    const report = readFileSync(tap, "utf8");
    const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(report)?.[1] ?? NaN);
    return { ok: status === 0, tests: count("tests"), passed: count("pass") };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: "string" }, node: { type: "string" } },
  });
  const asked = positionals[0] && resolve(positionals[0]);
  if (asked && !existsSync(asked)) {
    console.error(`conformance: ${asked} does not exist`);
    process.exitCode = 1;
    return;
  }
  const candidates = asked ? [asked] : [join(shared, "sdk", "lib", "session"), installedSdk()];
  const folder = candidates.find((candidate) => findSuites(candidate).length > 0);

  if (!folder) {
    const looked = candidates.filter(Boolean).join(", ");
    console.log(`conformance: no suite found in ${looked}`);
    // Where the suites are expected, their absence must not read as success.
    process.exitCode = process.env.CI === "true" && existsSync(shared) ? 1 : 0;
    return;
  }
  const { ok, tests, passed } = runSuites(findSuites(folder), {
    folder,
    from: values.from && pathToFileURL(resolve(values.from)).href,
    node: values.node,
  });
  console.log(`conformance: ${passed} of ${tests} tests of the SDK's own suites pass`);
  process.exitCode = ok && passed === tests && tests > 0 ? 0 : 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main();
