// Every public module: the names that it types are the names that it has, by import and by require.

import { test } from "node:test";
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const require = createRequire(import.meta.url);
const { exports } = require("../package.json");
const MODULES = Object.entries(exports).filter(([, target]) => typeof target === "object");

/** What a declaration file exports as values, with its documentation. */
function declared(file) {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
  });
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const real = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const isValue = (symbol) => (real(symbol).flags & ts.SymbolFlags.Value) !== 0;
  return new Map(
    symbols.filter(isValue).map((symbol) => [symbol.name, ts.displayPartsToString(real(symbol).getDocumentationComment(checker))]),
  );
}

// What Node adds to a CommonJS module that is imported.
const ADDED = ["default", "module.exports"];
const importedNames = (module) =>
  Object.keys(module)
    .filter((name) => !ADDED.includes(name))
    .sort();
const namesOf = (module) => Object.keys(module).sort();

for (const [path, { types, default: file }] of MODULES) {
  const specifier = path.replace(".", "seatkit");
  const typed = declared(fileURLToPath(new URL(`../${types}`, import.meta.url)));
  const names = [...typed.keys()].filter((name) => name !== "default").sort();

  test(`${specifier} has the names that it types and no others, the very same by import and by require`, async () => {
    const [imported, required] = [await import(specifier), require(specifier)];
    assert.ok(names.length > 0);
    assert.deepEqual(importedNames(imported), names);
    assert.deepEqual(namesOf(required), names);
    for (const name of names) assert.equal(imported[name], required[name], name);
    assert.equal(imported.default, required);
    assert.equal(required.default, typed.has("default") ? required : undefined);
  });

  test(`${specifier}: every function has its name and every name its documentation`, () => {
    const required = require(specifier);
    for (const name of names) {
      if (typeof required[name] === "function") assert.equal(required[name].name, name);
      assert.notEqual(typed.get(name), "", `${name} is documented in ${types}`);
    }
    assert.ok(file.startsWith("./lib/"));
  });
}

test("the whole package has every name of its modules, and of two the one of seatkit/mux", () => {
  const whole = require("seatkit");
  const sync = MODULES.map(([path]) => path.replace(".", "seatkit")).filter(
    (specifier) => !specifier.endsWith("/promises") && specifier !== "seatkit",
  );
  const names = new Set(sync.flatMap((specifier) => namesOf(require(specifier))));
  assert.deepEqual(namesOf(whole), [...names].sort());
  for (const specifier of sync) {
    for (const name of namesOf(require(specifier)))
      assert.equal(whole[name], require("seatkit/mux")[name] ?? require(specifier)[name], name);
  }
});

test("the candidates are frozen through and through", async () => {
  const { MUX_CANDIDATES } = await import("seatkit/launch-args");
  assert.deepEqual(MUX_CANDIDATES, {
    tmux: ["/opt/homebrew/bin/tmux", "/usr/local/bin/tmux", "/usr/bin/tmux"],
    screen: ["/usr/bin/screen", "/opt/homebrew/bin/screen", "/usr/local/bin/screen"],
  });
  for (const value of [MUX_CANDIDATES, MUX_CANDIDATES.tmux, MUX_CANDIDATES.screen]) assert.ok(Object.isFrozen(value));
});
