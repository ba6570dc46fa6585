// The argv of a session, and how its exit code is read.
"use strict";

const native = require("./native");
const { frozen } = require("./frozen");

const { BOOTSTRAP_PROMPT, SESSION_EXIT_SCRIPT, mainSessionName, buildClaudeArgs, chooseMux, buildMuxCommands, parseScreenList, parseExitFile } = native;
const MUX_CANDIDATES = frozen(native.fixedMuxCandidates());

function detectMux(deps) {
  return native.detectMux((path) => {
    try {
      return Boolean(deps.existsSync(path));
    } catch {
      return false;
    }
  });
}

exports.BOOTSTRAP_PROMPT = BOOTSTRAP_PROMPT;
exports.SESSION_EXIT_SCRIPT = SESSION_EXIT_SCRIPT;
exports.MUX_CANDIDATES = MUX_CANDIDATES;
exports.mainSessionName = mainSessionName;
exports.buildClaudeArgs = buildClaudeArgs;
exports.detectMux = detectMux;
exports.chooseMux = chooseMux;
exports.buildMuxCommands = buildMuxCommands;
exports.parseScreenList = parseScreenList;
exports.parseExitFile = parseExitFile;

// What `import` gives as `default`, for `require` too; not listed, so that it is no name of the whole package.
Object.defineProperty(exports, "default", { value: exports });
