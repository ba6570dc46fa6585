import { test } from "node:test";
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

test("a panic in an export is an error that JavaScript can catch, and the next call works", () => {
  const { panicOnPurpose } = require("../binding.js");
  assert.throws(panicOnPurpose, (error) => error instanceof Error && error.message === "panicked on purpose");
  assert.equal(require("../index.js").parseExitFile("7\n"), 7);
});

test("the panicking export is not part of the library", () => {
  assert.ok(!("panicOnPurpose" in require("../index.js")));
});
