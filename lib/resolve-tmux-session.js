// Which native id a tmux session name means.
"use strict";

const native = require("./native");

const runTmux = (args, options) => native.runTmux(args, options, process.env);
const resolveTmuxSessionExact = (name, options) => native.resolveTmuxSessionExact(name, options, process.env);

exports.classifyTmuxSessionName = native.classifyTmuxSessionName;
exports.buildTmuxSessionLookupArgs = native.buildTmuxSessionLookupArgs;
exports.resolveTmuxSessionId = native.resolveTmuxSessionId;
exports.resolveTmuxSessionExact = resolveTmuxSessionExact;
exports.runTmux = runTmux;
