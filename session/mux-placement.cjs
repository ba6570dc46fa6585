"use strict";

const {
  LaunchPreconditionError,
  INSPECT_FORMAT,
  APPEND_FORMAT,
  PLACEMENT_FIELDS,
  WINDOW_FIELDS,
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
  inspectPlacement,
  appendWindow,
  closeWindow,
  classifyTmuxCwd,
  assertLaunchTarget,
  resolveRuntimeOnPath,
  buildFreshWindowArgs,
} = require("../index.js");

module.exports.LaunchPreconditionError = LaunchPreconditionError;
module.exports.INSPECT_FORMAT = INSPECT_FORMAT;
module.exports.APPEND_FORMAT = APPEND_FORMAT;
module.exports.PLACEMENT_FIELDS = PLACEMENT_FIELDS;
module.exports.WINDOW_FIELDS = WINDOW_FIELDS;
module.exports.isPaneId = isPaneId;
module.exports.isSessionId = isSessionId;
module.exports.isWindowId = isWindowId;
module.exports.isDecimal = isDecimal;
module.exports.assertSelector = assertSelector;
module.exports.readAnchor = readAnchor;
module.exports.buildInspectArgs = buildInspectArgs;
module.exports.buildAppendArgs = buildAppendArgs;
module.exports.buildCloseArgs = buildCloseArgs;
module.exports.buildListWindowIdsArgs = buildListWindowIdsArgs;
module.exports.parsePlacement = parsePlacement;
module.exports.parseWindowFields = parseWindowFields;
module.exports.classifyCloseFailure = classifyCloseFailure;
module.exports.isSameContext = isSameContext;
module.exports.isSameServer = isSameServer;
module.exports.assertTmuxOk = assertTmuxOk;
module.exports.inspectPlacement = inspectPlacement;
module.exports.appendWindow = appendWindow;
module.exports.closeWindow = closeWindow;
module.exports.classifyTmuxCwd = classifyTmuxCwd;
module.exports.assertLaunchTarget = assertLaunchTarget;
module.exports.resolveRuntimeOnPath = resolveRuntimeOnPath;
module.exports.buildFreshWindowArgs = buildFreshWindowArgs;
