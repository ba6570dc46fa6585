// Runs one call on one side, and says whether two outcomes are as the contract wants them.

import { isDeepStrictEqual } from "node:util";
import { build } from "./calls.mjs";

/** Lone surrogates become U+FFFD on the way into any argv. */
const wellFormed = (value) => {
  if (typeof value === "string") return Buffer.from(value).toString();
  if (value === null || typeof value !== "object") return value;
  return Array.isArray(value)
    ? value.map(wellFormed)
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, wellFormed(item)]));
};

/** What came out of a call, and what its callbacks were asked. */
export function outcome(api, { name, args }) {
  const log = [];
  const built = build(wellFormed(args), log);
  try {
    return { returned: api[name](...built), log };
  } catch (error) {
    return { threw: error instanceof Error ? { name: error.name, message: error.message } : { value: error }, log };
  }
}

// How a TypeError begins that names an argument.
const NAMED = /^(?:first|pref|found|out|name|run|run\(\)|a)[. ]/;

/** Whether seatkit's outcome is not what the reference's demands. */
export function differ(call, reference, seatkit) {
  if (seatkit.threw?.name === "TypeError" && NAMED.test(seatkit.threw.message)) {
    // Another type than the types allow, or one that the reference throws on as well.
    if (call.wrong || reference.threw?.name === "TypeError") return false;
  }
  return !isDeepStrictEqual(seatkit, reference);
}
