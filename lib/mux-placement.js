// Windows on the caller's own tmux server, by native ids.
"use strict";

const native = require("./native");
const { LaunchPreconditionError, made } = require("./errors");

const {
  INSPECT_FORMAT,
  APPEND_FORMAT,
  isPaneId,
  isSessionId,
  isWindowId,
  isDecimal,
  assertSelector,
  readAnchor,
  buildInspectArgs,
  buildAppendArgs,
  buildCloseArgs,
  buildListWindowIdsArgs,
  parsePlacement,
  parseWindowFields,
  classifyCloseFailure,
  isSameContext,
  isSameServer,
  assertTmuxOk,
  classifyTmuxCwd,
} = native;
const PLACEMENT_FIELDS = Object.freeze(native.placementFields());
const WINDOW_FIELDS = Object.freeze(native.windowFields());

function inspectPlacement(env, options = undefined) {
  return native.inspectPlacement(env ?? process.env, options);
}

function appendWindow(placement, env = undefined, options = undefined) {
  return native.appendWindow(placement, env ?? process.env, options);
}

function closeWindow(handle, env = undefined, options = undefined) {
  return native.closeWindow(handle, env ?? process.env, options);
}

function requireSameContext(label, origin, env = undefined, options = undefined) {
  native.requireSameContext(label, origin, env ?? process.env, options);
}

function requireSameServer(label, origin, env = undefined, options = undefined) {
  native.requireSameServer(label, origin, env ?? process.env, options);
}

function runTmux(args, env = undefined, options = undefined) {
  return native.runTmuxIn(args, env ?? process.env, options);
}

function assertLaunchTarget(runtimePath) {
  made(native.assertLaunchTarget(runtimePath));
}

function resolveRuntimeOnPath(command, env = undefined) {
  return made(native.resolveRuntimeOnPath(command, env ?? process.env));
}

function buildFreshWindowArgs(targetSessionId, runtimePath, args, options = undefined) {
  return made(native.buildFreshWindowArgs(targetSessionId, runtimePath, args, options));
}

exports.LaunchPreconditionError = LaunchPreconditionError;
exports.INSPECT_FORMAT = INSPECT_FORMAT;
exports.APPEND_FORMAT = APPEND_FORMAT;
exports.PLACEMENT_FIELDS = PLACEMENT_FIELDS;
exports.WINDOW_FIELDS = WINDOW_FIELDS;
exports.isPaneId = isPaneId;
exports.isSessionId = isSessionId;
exports.isWindowId = isWindowId;
exports.isDecimal = isDecimal;
exports.assertSelector = assertSelector;
exports.readAnchor = readAnchor;
exports.buildInspectArgs = buildInspectArgs;
exports.buildAppendArgs = buildAppendArgs;
exports.buildCloseArgs = buildCloseArgs;
exports.buildListWindowIdsArgs = buildListWindowIdsArgs;
exports.parsePlacement = parsePlacement;
exports.parseWindowFields = parseWindowFields;
exports.classifyCloseFailure = classifyCloseFailure;
exports.isSameContext = isSameContext;
exports.isSameServer = isSameServer;
exports.assertTmuxOk = assertTmuxOk;
exports.inspectPlacement = inspectPlacement;
exports.appendWindow = appendWindow;
exports.closeWindow = closeWindow;
exports.requireSameContext = requireSameContext;
exports.requireSameServer = requireSameServer;
exports.runTmux = runTmux;
exports.classifyTmuxCwd = classifyTmuxCwd;
exports.assertLaunchTarget = assertLaunchTarget;
exports.resolveRuntimeOnPath = resolveRuntimeOnPath;
exports.buildFreshWindowArgs = buildFreshWindowArgs;
