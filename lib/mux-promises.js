// `seatkit/mux`, what runs tmux off the main thread and returning a promise.
"use strict";

const { promises } = require("./native");

// `async`, so that a wrong argument is a rejection and never a throw.
const runTmux = async (args, options) => promises.runTmux(args, options, process.env);
const resolveTmuxSessionExact = async (name, options) => promises.resolveTmuxSessionExact(name, options, process.env);

module.exports = { ...require("./mux"), runTmux, resolveTmuxSessionExact };
