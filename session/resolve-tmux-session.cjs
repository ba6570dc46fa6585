"use strict";

const {
  classifyTmuxSessionName,
  buildTmuxSessionLookupArgs,
  resolveTmuxSessionId,
  resolveTmuxSessionExact,
  runTmux,
} = require("../index.js");

module.exports.classifyTmuxSessionName = classifyTmuxSessionName;
module.exports.buildTmuxSessionLookupArgs = buildTmuxSessionLookupArgs;
module.exports.resolveTmuxSessionId = resolveTmuxSessionId;
module.exports.resolveTmuxSessionExact = resolveTmuxSessionExact;
module.exports.runTmux = runTmux;
