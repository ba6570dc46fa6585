// Windows on the caller's own tmux server, by native ids.
"use strict";

const native = require("./native");
const { LaunchPreconditionError, made } = require("./errors");

const inspectPlacement = (env, options) => native.inspectPlacement(env ?? process.env, options);
const appendWindow = (placement, env, options) => native.appendWindow(placement, env ?? process.env, options);
const closeWindow = (handle, env, options) => native.closeWindow(handle, env ?? process.env, options);
const requireSameContext = (label, origin, env, options) => native.requireSameContext(label, origin, env ?? process.env, options);
const requireSameServer = (label, origin, env, options) => native.requireSameServer(label, origin, env ?? process.env, options);
const runTmux = (args, env, options) => native.runTmuxIn(args, env ?? process.env, options);
const assertLaunchTarget = (runtimePath) => void made(native.assertLaunchTarget(runtimePath));
const resolveRuntimeOnPath = (command, env) => made(native.resolveRuntimeOnPath(command, env ?? process.env));
const buildFreshWindowArgs = (...args) => made(native.buildFreshWindowArgs(...args));

exports.LaunchPreconditionError = LaunchPreconditionError;
exports.INSPECT_FORMAT = native.INSPECT_FORMAT;
exports.APPEND_FORMAT = native.APPEND_FORMAT;
exports.PLACEMENT_FIELDS = Object.freeze(native.placementFields());
exports.WINDOW_FIELDS = Object.freeze(native.windowFields());
exports.isPaneId = native.isPaneId;
exports.isSessionId = native.isSessionId;
exports.isWindowId = native.isWindowId;
exports.isDecimal = native.isDecimal;
exports.assertSelector = native.assertSelector;
exports.readAnchor = native.readAnchor;
exports.buildInspectArgs = native.buildInspectArgs;
exports.buildAppendArgs = native.buildAppendArgs;
exports.buildCloseArgs = native.buildCloseArgs;
exports.buildListWindowIdsArgs = native.buildListWindowIdsArgs;
exports.parsePlacement = native.parsePlacement;
exports.parseWindowFields = native.parseWindowFields;
exports.classifyCloseFailure = native.classifyCloseFailure;
exports.isSameContext = native.isSameContext;
exports.isSameServer = native.isSameServer;
exports.assertTmuxOk = native.assertTmuxOk;
exports.inspectPlacement = inspectPlacement;
exports.appendWindow = appendWindow;
exports.closeWindow = closeWindow;
exports.requireSameContext = requireSameContext;
exports.requireSameServer = requireSameServer;
exports.runTmux = runTmux;
exports.classifyTmuxCwd = native.classifyTmuxCwd;
exports.assertLaunchTarget = assertLaunchTarget;
exports.resolveRuntimeOnPath = resolveRuntimeOnPath;
exports.buildFreshWindowArgs = buildFreshWindowArgs;
