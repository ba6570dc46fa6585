// Finds and loads the addon. The generated loader (binding.js) covers every place a binary may be
// in, and takes longer to load than the addon itself; so the likely place is tried first, and the
// generated loader only where that fails.
"use strict";

const { closeSync, existsSync, openSync, readSync } = require("node:fs");
const { join } = require("node:path");

// The version of this package, which its binary must have too.
const VERSION = "0.1.0";
const SUPPORTED =
  "macOS on arm64 and x64, Linux on arm64 and x64 (glibc 2.17 or newer, or musl)";

/** `linux-x64-gnu` and the like, or `undefined` where there is no binary to be had. */
function target() {
  const { arch, platform } = process;
  if (arch !== "arm64" && arch !== "x64") return undefined;
  if (platform === "darwin") return `darwin-${arch}`;
  if (platform === "linux") return `linux-${arch}-${usesMusl() ? "musl" : "gnu"}`;
  return undefined;
}

/**
 * Whether this very process runs on musl: its executable names its dynamic linker in its first
 * page. Which libc the machine has beside that is no matter, and asking `process.report` for it can
 * take seconds.
 */
function usesMusl() {
  let file;
  try {
    file = openSync(process.execPath, "r");
    const page = Buffer.allocUnsafe(4096);
    return page.latin1Slice(0, readSync(file, page, 0, 4096, 0)).includes("/ld-musl-");
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function load() {
  const here = target();
  const failures = [];
  let addon;
  if (here && !process.env.NAPI_RS_NATIVE_LIBRARY_PATH) {
    const built = join(__dirname, `seatkit.${here}.node`);
    try {
      addon = require(existsSync(built) ? built : `seatkit-${here}`);
    } catch (error) {
      failures.push(error);
    }
  }
  if (!addon) {
    try {
      addon = require("./binding.js");
    } catch (error) {
      for (let cause = error; cause; cause = cause.cause) failures.push(cause);
      throw loadError(here, failures);
    }
  }
  const version = addon.nativeVersion?.();
  if (version !== VERSION) {
    throw Object.assign(
      new Error(
        `seatkit ${VERSION} found a binary of another version (${version ?? "unknown"}). ` +
          "Reinstall seatkit, or rebuild it where it was built from source.",
      ),
      { code: "ERR_SEATKIT_NATIVE" },
    );
  }
  return addon;
}

/** One error that says what is the matter, its `cause` the first failure that was more than an absent file. */
function loadError(here, failures) {
  const cause = failures.find((error) => error?.code === "ERR_DLOPEN_FAILED");
  const forced = process.env.NAPI_RS_NATIVE_LIBRARY_PATH;
  const running = `${process.platform} ${process.arch}`;
  let message;
  if (cause) {
    message = `the binary for ${here ?? running} is present but did not load: ${cause.message}`;
  } else if (forced) {
    message = `there is no binary at NAPI_RS_NATIVE_LIBRARY_PATH (${forced})`;
  } else if (here) {
    message =
      `the package seatkit-${here}, which holds the binary for this machine, is not installed. ` +
      "Install without --omit=optional; if a lockfile from another platform leaves it out, " +
      "delete node_modules and the lockfile and install again. In a checkout: npm run build";
  } else {
    message = `there is no binary for ${running}`;
  }
  return Object.assign(
    new Error(`seatkit cannot load its addon: ${message}\nSupported: ${SUPPORTED}.`, {
      cause: cause ?? failures[0],
    }),
    { code: "ERR_SEATKIT_NATIVE" },
  );
}

module.exports = load();
