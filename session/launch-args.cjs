"use strict";

const {
  BOOTSTRAP_PROMPT,
  SESSION_EXIT_SCRIPT,
  MUX_CANDIDATES,
  buildClaudeArgs,
  detectMux,
  chooseMux,
  buildMuxCommands,
  parseScreenList,
  parseExitFile,
  mainSessionName,
} = require("../index.js");

// What `import` calls `default` is `default` here too, for code that was compiled from it.
Object.defineProperty(module.exports, "__esModule", { value: true });

module.exports.BOOTSTRAP_PROMPT = BOOTSTRAP_PROMPT;
module.exports.SESSION_EXIT_SCRIPT = SESSION_EXIT_SCRIPT;
module.exports.MUX_CANDIDATES = MUX_CANDIDATES;
module.exports.buildClaudeArgs = buildClaudeArgs;
module.exports.detectMux = detectMux;
module.exports.chooseMux = chooseMux;
module.exports.buildMuxCommands = buildMuxCommands;
module.exports.parseScreenList = parseScreenList;
module.exports.parseExitFile = parseExitFile;
module.exports.mainSessionName = mainSessionName;
module.exports.default = {
  BOOTSTRAP_PROMPT,
  SESSION_EXIT_SCRIPT,
  MUX_CANDIDATES,
  buildClaudeArgs,
  detectMux,
  chooseMux,
  buildMuxCommands,
  parseScreenList,
  parseExitFile,
};
