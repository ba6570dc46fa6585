// Runs one call on one side, and says all that can be seen of it.

import { describe } from "./describe.mjs";
import { World } from "./recipe.mjs";

/** What came out of a call, as text, and the log of what was touched on the way. */
export function outcome(api, call) {
  const long = new Map([
    [api.BOOTSTRAP_PROMPT, "BOOTSTRAP_PROMPT"],
    [api.SESSION_EXIT_SCRIPT, "SESSION_EXIT_SCRIPT"],
  ]);
  const world = new World((value, names) => describe(value, names, long), api);
  const args = call.args.map((arg, i) => world.build(arg, `$${i}`));
  let result;
  let how;
  world.patch(call.patches);
  try {
    result = api[call.name](...args);
    how = "returned";
  } catch (thrown) {
    result = thrown;
    how = "threw";
  } finally {
    world.unpatch();
  }
  return { answer: `${how} ${describe(result, world.names, long)}`, log: world.log };
}

export const differ = (a, b) => a.answer !== b.answer || a.log.length !== b.log.length || a.log.some((line, i) => line !== b.log[i]);
