// Asking a daemon's front door whether a session lives.
"use strict";

/**
 * What `options.readState(root)` answers. What a caller's function throws is caught here and not natively: native code
 * cannot distinguish it from the end of a worker, which it would swallow.
 */
exports.ask = (options, root) => {
  try {
    const state = options.readState(root);
    // Nobody waits for a promise, so its rejection would end the process where a throw does not.
    if (state instanceof Promise) state.catch(() => {});
    return state;
  } catch {
    return undefined;
  }
};
