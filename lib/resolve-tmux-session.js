// Which native id a tmux session name means.
"use strict";

const native = require("./native");
const { resolveTmuxSessionExact, runTmux } = require("./mux");

exports.classifyTmuxSessionName = native.classifyTmuxSessionName;
exports.buildTmuxSessionLookupArgs = native.buildTmuxSessionLookupArgs;
exports.resolveTmuxSessionId = native.resolveTmuxSessionId;
exports.resolveTmuxSessionExact = resolveTmuxSessionExact;
exports.runTmux = runTmux;
