import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

// In types/, a wrong use stands under `@ts-expect-error`, which is itself an error where the line
// below it compiles.
const folder = fileURLToPath(new URL("types/", import.meta.url));
const programs = readdirSync(folder).filter((name) => /\.[mc]ts$/.test(name));

for (const [resolution, options, files] of [
  ["nodenext", { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }, programs],
  // A bundler has no `require` of TypeScript's own kind.
  [
    "bundler",
    { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
    programs.filter((name) => name.endsWith(".mts")),
  ],
]) {
  test(`right uses compile and wrong ones do not (${resolution})`, () => {
    assert.ok(files.length > 0);
    const program = ts.createProgram(
      files.map((name) => folder + name),
      {
        ...options,
        target: ts.ScriptTarget.ES2022,
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipDefaultLibCheck: true,
        types: ["node"],
      },
    );
    const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => folder, getNewLine: () => "\n" };
    assert.equal(ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host), "");
  });
}
