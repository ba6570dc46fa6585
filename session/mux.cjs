"use strict";

const {
  MuxCommandError,
  TMUX_MESSAGE_LIMIT,
  buildSafeMuxCommands,
  muxCandidates,
  escapeTmuxArg,
  escapeTmuxFormat,
  packedSize,
  classifyTmuxRun,
  runTmux,
  resolveTmuxSessionExact,
  parseScreenSessions,
  screenStopArgs,
  sessionOutcome,
} = require("../index.js");

module.exports.MuxCommandError = MuxCommandError;
module.exports.TMUX_MESSAGE_LIMIT = TMUX_MESSAGE_LIMIT;
module.exports.buildSafeMuxCommands = buildSafeMuxCommands;
module.exports.muxCandidates = muxCandidates;
module.exports.escapeTmuxArg = escapeTmuxArg;
module.exports.escapeTmuxFormat = escapeTmuxFormat;
module.exports.packedSize = packedSize;
module.exports.classifyTmuxRun = classifyTmuxRun;
module.exports.runTmux = runTmux;
module.exports.resolveTmuxSessionExact = resolveTmuxSessionExact;
module.exports.parseScreenSessions = parseScreenSessions;
module.exports.screenStopArgs = screenStopArgs;
module.exports.sessionOutcome = sessionOutcome;
