// The guarded way to launch, list, stop and read sessions.
"use strict";

const native = require("./native");
const { MuxCommandError, made } = require("./errors");

const {
  TMUX_MESSAGE_LIMIT,
  classifyScreenRun,
  classifyTmuxRun,
  escapeTmuxArg,
  escapeTmuxFormat,
  packedSize,
  parseScreenSessions,
  screenStopArgs,
  sessionOutcome,
} = native;

function runTmux(args, options = undefined) {
  return native.runTmux(args, options, process.env);
}

function resolveTmuxSessionExact(name, options = undefined) {
  return native.resolveTmuxSessionExact(name, options, process.env);
}

function muxCandidates(platform = process.platform, env = process.env) {
  return native.muxCandidates(platform, env);
}

function buildSafeMuxCommands(a) {
  return made(native.buildSafeMuxCommands(a));
}

exports.MuxCommandError = MuxCommandError;
exports.TMUX_MESSAGE_LIMIT = TMUX_MESSAGE_LIMIT;
exports.runTmux = runTmux;
exports.resolveTmuxSessionExact = resolveTmuxSessionExact;
exports.classifyTmuxRun = classifyTmuxRun;
exports.classifyScreenRun = classifyScreenRun;
exports.escapeTmuxArg = escapeTmuxArg;
exports.escapeTmuxFormat = escapeTmuxFormat;
exports.packedSize = packedSize;
exports.parseScreenSessions = parseScreenSessions;
exports.screenStopArgs = screenStopArgs;
exports.sessionOutcome = sessionOutcome;
exports.muxCandidates = muxCandidates;
exports.buildSafeMuxCommands = buildSafeMuxCommands;
