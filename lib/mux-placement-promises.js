// `seatkit/mux-placement`, what runs tmux off the main thread and returning a promise.
"use strict";

const { promises } = require("./native");

// `async`, so that a wrong argument is a rejection and never a throw.
async function runTmux(args, env = undefined, options = undefined) {
  return promises.runTmuxIn(args, env ?? process.env, options);
}

async function inspectPlacement(env = undefined, options = undefined) {
  return promises.inspectPlacement(env ?? process.env, options);
}

async function appendWindow(placement, env = undefined, options = undefined) {
  return promises.appendWindow(placement, env ?? process.env, options);
}

async function closeWindow(handle, env = undefined, options = undefined) {
  return promises.closeWindow(handle, env ?? process.env, options);
}

async function requireSameContext(label, origin, env = undefined, options = undefined) {
  return promises.requireSameContext(label, origin, env ?? process.env, options);
}

async function requireSameServer(label, origin, env = undefined, options = undefined) {
  return promises.requireSameServer(label, origin, env ?? process.env, options);
}

module.exports = {
  ...require("./mux-placement"),
  runTmux,
  inspectPlacement,
  appendWindow,
  closeWindow,
  requireSameContext,
  requireSameServer,
};
