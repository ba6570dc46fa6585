// The guarded way to launch, list, stop and read sessions.
"use strict";

const native = require("./native");
const { MuxCommandError, made } = require("./errors");
const { resolveTmuxSessionExact, runTmux } = require("./resolve-tmux-session");

const muxCandidates = (platform = process.platform, env = process.env) => native.muxCandidates(platform, env);
const buildSafeMuxCommands = (a) => made(native.buildSafeMuxCommands(a));

exports.MuxCommandError = MuxCommandError;
exports.TMUX_MESSAGE_LIMIT = native.TMUX_MESSAGE_LIMIT;
exports.runTmux = runTmux;
exports.resolveTmuxSessionExact = resolveTmuxSessionExact;
exports.classifyTmuxRun = native.classifyTmuxRun;
exports.classifyScreenRun = native.classifyScreenRun;
exports.escapeTmuxArg = native.escapeTmuxArg;
exports.escapeTmuxFormat = native.escapeTmuxFormat;
exports.packedSize = native.packedSize;
exports.parseScreenSessions = native.parseScreenSessions;
exports.screenStopArgs = native.screenStopArgs;
exports.sessionOutcome = native.sessionOutcome;
exports.muxCandidates = muxCandidates;
exports.buildSafeMuxCommands = buildSafeMuxCommands;
