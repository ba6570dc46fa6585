// `seatkit/mux-placement`, what runs tmux off the main thread and returning a promise.
"use strict";

const { promises } = require("./native");

// `async`, so that a wrong argument is a rejection and never a throw.
const runTmux = async (args, env, options) => promises.runTmuxIn(args, env ?? process.env, options);
const inspectPlacement = async (env, options) => promises.inspectPlacement(env ?? process.env, options);
const appendWindow = async (placement, env, options) => promises.appendWindow(placement, env ?? process.env, options);
const closeWindow = async (handle, env, options) => promises.closeWindow(handle, env ?? process.env, options);
const requireSameContext = async (label, origin, env, options) => promises.requireSameContext(label, origin, env ?? process.env, options);
const requireSameServer = async (label, origin, env, options) => promises.requireSameServer(label, origin, env ?? process.env, options);

module.exports = {
  ...require("./mux-placement"),
  runTmux,
  inspectPlacement,
  appendWindow,
  closeWindow,
  requireSameContext,
  requireSameServer,
};
