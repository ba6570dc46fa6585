// How long importing the three modules takes, beside the three JavaScript files they replace, in
// fresh processes: `node benches/js/import-time.mjs [runs]`.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const shared = join(project, "..", "shared");
const MODULES = ["inbox-claims", "launch-args", "resolve-tmux-session"];

/** The JavaScript files in a folder of their own, the TypeScript one with its types stripped. */
function layJavaScript(folder) {
  const sdk = join(shared, "sdk", "lib", "session");
  copyFileSync(join(shared, "baseline", "inbox-claims.mjs"), join(folder, "inbox-claims.mjs"));
  for (const file of ["launch-args.mjs", "identity.mjs"]) copyFileSync(join(sdk, file), join(folder, file));
  const source = readFileSync(join(shared, "entwurf", "resolve-tmux-session.ts"), "utf8");
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  writeFileSync(join(folder, "resolve-tmux-session.mjs"), ts.transpileModule(source, { compilerOptions: options }).outputText);
}

/**
 * Medians in milliseconds of `runs` fresh processes each, taken in turn; `null` without the
 * JavaScript files.
 */
export function importTime(runs = 60, node = process.execPath) {
  if (!existsSync(shared)) return null;
  const folder = mkdtempSync(join(tmpdir(), "seatkit-import-"));
  try {
    layJavaScript(folder);
    const program = (what, from, extension) => {
      const file = join(folder, `${what}.run.mjs`);
      const urls = MODULES.map((name) => pathToFileURL(join(from, name + extension)).href);
      writeFileSync(
        file,
        `const start = performance.now();
for (const url of ${JSON.stringify(urls)}) await import(url);
console.log(performance.now() - start);\n`,
      );
      return file;
    };
    const programs = [program("native", join(project, "lib"), ".js"), program("javascript", folder, ".mjs")];
    const times = programs.map(() => []);
    for (let run = 0; run < runs; run += 1) {
      programs.forEach((file, which) => times[which].push(Number(execFileSync(node, [file], { encoding: "utf8" }))));
    }
    const [native, javascript] = times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]);
    return { native, javascript };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const times = importTime(Number(process.argv[2] ?? 60));
  if (times) {
    const { native, javascript } = times;
    console.log(
      `import of the three modules: native ${native.toFixed(2)} ms, JavaScript ${javascript.toFixed(2)} ms (median, Node ${process.version})`,
    );
  } else {
    console.log("import-time: no JavaScript files to compare with (../shared is not there)");
  }
}
