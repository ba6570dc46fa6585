// The argv of a session, and how its exit code is read.
"use strict";

const native = require("./native");

const { tmux, screen } = native.fixedMuxCandidates();

exports.BOOTSTRAP_PROMPT = native.BOOTSTRAP_PROMPT;
exports.SESSION_EXIT_SCRIPT = native.SESSION_EXIT_SCRIPT;
exports.MUX_CANDIDATES = Object.freeze({ tmux: Object.freeze(tmux), screen: Object.freeze(screen) });
exports.mainSessionName = native.mainSessionName;
exports.buildClaudeArgs = native.buildClaudeArgs;
exports.detectMux = function detectMux(deps) {
  return native.detectMux((path) => {
    // Native code could not distinguish what is thrown here from the end of a worker.
    try {
      return Boolean(deps.existsSync(path));
    } catch {
      return false;
    }
  });
};
exports.chooseMux = native.chooseMux;
exports.buildMuxCommands = native.buildMuxCommands;
exports.parseScreenList = native.parseScreenList;
exports.parseExitFile = native.parseExitFile;

// What `import` gives as `default`, for `require` too; not listed, so that it is no name of the whole package.
Object.defineProperty(exports, "default", { value: exports });
