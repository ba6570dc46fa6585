import { test } from "node:test";
import assert from "node:assert/strict";
import { createRequire } from "node:module";

import { parseExitFile } from "seatkit/launch-args";

const { panicOnPurpose } = createRequire(import.meta.url)("../lib/native.js");

test("a panic in an export is an error that JavaScript can catch, and the next call works", () => {
  assert.throws(panicOnPurpose, (error) => error instanceof Error && error.message === "panicked on purpose");
  assert.equal(parseExitFile("7\n"), 7);
});
