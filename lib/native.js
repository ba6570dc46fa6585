// Finds and loads the addon: the one that NAPI_RS_NATIVE_LIBRARY_PATH names, or the one beside this package, as in a
// checkout, or that of this machine's platform package.
"use strict";

const { closeSync, existsSync, openSync, readSync } = require("node:fs");
const { join, resolve } = require("node:path");

// The version of this package, which its binary must have too.
const VERSION = "0.1.0";
const SUPPORTED = "macOS on arm64 and x64, Linux on arm64 and x64 (glibc 2.17 or newer, or musl)";

/** Which C library this process runs on, `undefined` where that cannot be seen. */
function libc() {
  try {
    // The loader that a program names at its head; asking for all that is mapped takes as long as loading the addon.
    const head = Buffer.alloc(4096);
    const program = openSync("/proc/self/exe", "r");
    readSync(program, head);
    closeSync(program);
    const [, loader] = /\/ld-(linux|musl)-/.exec(head.latin1Slice()) ?? [];
    return { linux: "gnu", musl: "musl" }[loader];
  } catch {
    return undefined;
  }
}

/** What this machine's binary is called; of two names, whichever there is. */
function targets() {
  const { arch, platform } = process;
  if (arch !== "arm64" && arch !== "x64") return [];
  if (platform === "darwin") return [`darwin-${arch}`];
  if (platform !== "linux") return [];
  const here = libc();
  return (here ? [here] : ["gnu", "musl"]).map((libc) => `linux-${arch}-${libc}`);
}

/** The binary at `path`, or `undefined`; why, if there is one, is added to `failures`. */
function at(path, failures) {
  try {
    return require(path);
  } catch (error) {
    if (existsSync(path)) failures.push(error);
    return undefined;
  }
}

const isAbsent = (error) => String(error.code).endsWith("MODULE_NOT_FOUND") || /^(?:Cannot find|Could not resolve) /.test(error.message);

/**
 * The binary in the package of `target`, as above. Each name stands here as it is, in a `try` of its own function, so
 * that a bundler brings along the one that it finds and passes over the others.
 */
function inPackage(target, failures) {
  try {
    switch (target) {
      case "darwin-arm64":
        return require("seatkit-darwin-arm64");
      case "darwin-x64":
        return require("seatkit-darwin-x64");
      case "linux-arm64-gnu":
        return require("seatkit-linux-arm64-gnu");
      case "linux-arm64-musl":
        return require("seatkit-linux-arm64-musl");
      case "linux-x64-gnu":
        return require("seatkit-linux-x64-gnu");
      case "linux-x64-musl":
        return require("seatkit-linux-x64-musl");
      default:
        return undefined;
    }
  } catch (error) {
    if (!isAbsent(error)) failures.push(error);
    return undefined;
  }
}

/** The package for the other C library, where that one is installed. */
function otherPackage(target) {
  const other = target.endsWith("gnu") ? target.replace("gnu", "musl") : target.replace("musl", "gnu");
  if (other === target) return undefined;
  try {
    require.resolve(`seatkit-${other}`);
    return `seatkit-${other}`;
  } catch {
    return undefined;
  }
}

const failure = (message, cause) => Object.assign(new Error(message, cause && { cause }), { code: "ERR_SEATKIT_NATIVE" });
const unloadable = (what, cause) => failure(`seatkit cannot load its addon: ${what}\nSupported: ${SUPPORTED}.`, cause);

/**
 * The addon that NAPI_RS_NATIVE_LIBRARY_PATH names. Every package made by napi-rs reads that variable: another one's
 * addon is passed over (`undefined`), and anything else that is no addon of ours is an error that names the path.
 */
function named(path) {
  const failures = [];
  const addon = at(resolve(path), failures);
  const [cause] = failures;
  if (cause)
    throw unloadable(`what NAPI_RS_NATIVE_LIBRARY_PATH names (${path}) is present but did not load: ${cause.message.trim()}`, cause);
  if (addon === undefined) throw unloadable(`there is no binary at NAPI_RS_NATIVE_LIBRARY_PATH (${path})`);
  return typeof addon?.nativeVersion === "function" ? addon : undefined;
}

/** This machine's addon, wherever it is. */
function found(foreign) {
  const failures = [];
  const here = targets();
  for (const target of here) {
    // A bundle may have no folder of its own.
    const beside = typeof __dirname === "string" && join(__dirname, "..", `seatkit.${target}.node`);
    const addon = (beside && existsSync(beside) && at(beside, failures)) || inPackage(target, failures);
    if (addon) return addon;
  }
  const machine = `${process.platform} ${process.arch}`;
  const [cause] = failures;
  const passedOver = foreign ? ` (NAPI_RS_NATIVE_LIBRARY_PATH names the addon of another package, ${foreign}.)` : "";
  if (cause) throw unloadable(`the binary for ${machine} is present but did not load: ${cause.message.trim()}${passedOver}`, cause);
  if (here.length === 0) throw unloadable(`there is no binary for ${machine}${passedOver}`);
  const wanted = here.map((target) => `seatkit-${target}`).join(" or ");
  const other = here.length === 1 && otherPackage(here[0]);
  throw unloadable(
    other
      ? `${other} is installed, which is for the other C library; install ${wanted} beside seatkit${passedOver}`
      : `the package that holds the binary for ${machine} (${wanted}) is not installed. ` +
          "Install without --omit=optional; if a lockfile from another platform leaves it out, " +
          `delete node_modules and the lockfile and install again. In a checkout: npm run build${passedOver}`,
  );
}

function load() {
  const path = process.env.NAPI_RS_NATIVE_LIBRARY_PATH;
  const given = path ? named(path) : undefined;
  const addon = given ?? found(path);
  const version = addon.nativeVersion?.();
  if (version !== VERSION) {
    throw failure(
      `seatkit ${VERSION} found a binary of another version (${version ?? "unknown"})${given ? ` at NAPI_RS_NATIVE_LIBRARY_PATH (${path})` : ""}. ` +
        "Reinstall seatkit, or rebuild it where it was built from source.",
    );
  }
  return addon;
}

module.exports = load();
