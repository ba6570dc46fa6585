// `seatkit/mux`, what runs tmux off the main thread and returning a promise.
"use strict";

const { promises } = require("./native");

// `async`, so that a wrong argument is a rejection and never a throw.
async function runTmux(args, options = undefined) {
  return promises.runTmux(args, options, process.env);
}

async function resolveTmuxSessionExact(name, options = undefined) {
  return promises.resolveTmuxSessionExact(name, options, process.env);
}

module.exports = { ...require("./mux"), runTmux, resolveTmuxSessionExact };
