import {
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
} from "../index.mjs";

export {
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
};

export default {
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
