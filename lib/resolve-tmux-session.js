// Which native id a tmux session name means.
"use strict";

const native = require("./native");
const { resolveTmuxSessionExact, runTmux } = require("./mux");

const { classifyTmuxSessionName, buildTmuxSessionLookupArgs, resolveTmuxSessionId } = native;

exports.classifyTmuxSessionName = classifyTmuxSessionName;
exports.buildTmuxSessionLookupArgs = buildTmuxSessionLookupArgs;
exports.resolveTmuxSessionId = resolveTmuxSessionId;
exports.resolveTmuxSessionExact = resolveTmuxSessionExact;
exports.runTmux = runTmux;
