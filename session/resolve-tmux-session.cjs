"use strict";

const {
  classifyTmuxSessionName,
  buildTmuxSessionLookupArgs,
  resolveTmuxSessionId,
} = require("../index.js");

module.exports.classifyTmuxSessionName = classifyTmuxSessionName;
module.exports.buildTmuxSessionLookupArgs = buildTmuxSessionLookupArgs;
module.exports.resolveTmuxSessionId = resolveTmuxSessionId;
