// Finds and loads the addon.
//
// The generated loader (binding.js) looks in every place a binary may be, and takes longer to load
// than the addon itself. So where exactly one binary stands in the likely places, that one is
// taken, and the generated loader asked only where there is none or a choice.
"use strict";

const { existsSync } = require("node:fs");
const { join, resolve } = require("node:path");

// The version of this package, which its binary must have too.
const VERSION = "0.1.0";
const SUPPORTED = "macOS on arm64 and x64, Linux on arm64 and x64 (glibc 2.17 or newer, or musl)";

/** The platform packages that may hold this machine's binary; which libc runs here is not asked. */
function targets({ arch, platform } = process) {
  if (arch !== "arm64" && arch !== "x64") return [];
  if (platform === "darwin") return [`darwin-${arch}`];
  if (platform === "linux") return [`linux-${arch}-gnu`, `linux-${arch}-musl`];
  return [];
}

/** The addon, or `undefined`; each failure on the way is added to `failures`. */
function find(failures) {
  const named = process.env.NAPI_RS_NATIVE_LIBRARY_PATH;
  const binaries = named
    ? [resolve(named)]
    : targets()
        .flatMap((target) => [
          join(__dirname, "..", `seatkit.${target}.node`),
          join(__dirname, "..", "..", `seatkit-${target}`, `seatkit.${target}.node`),
        ])
        .filter((path) => existsSync(path));
  try {
    if (binaries.length === 1) return require(binaries[0]);
  } catch (error) {
    failures.push(error);
  }
  try {
    if (!named) return require("../binding.js");
  } catch (error) {
    for (let failure = error; failure; failure = failure.cause) failures.push(failure);
  }
  return undefined;
}

// How the loaders say that a file is not there; any other failure is that of a file which is.
const ABSENT = /^Cannot find (?:module|package|native binding)|^Unsupported /;

const failure = (message, cause) => Object.assign(new Error(message, cause && { cause }), { code: "ERR_SEATKIT_NATIVE" });

/** One error that says what is the matter; its `cause` is the first failure of a file that is there. */
function loadError(failures) {
  const cause = failures.find((error) => !ABSENT.test(error.message));
  const named = process.env.NAPI_RS_NATIVE_LIBRARY_PATH;
  const here = `${process.platform} ${process.arch}`;
  const packages = targets()
    .map((target) => `seatkit-${target}`)
    .join(" or ");
  let message;
  if (cause) {
    message = `the binary for ${here} is present but did not load: ${cause.message.trim()}`;
  } else if (named) {
    message = `there is no binary at NAPI_RS_NATIVE_LIBRARY_PATH (${named})`;
  } else if (packages) {
    message =
      `the package that holds the binary for ${here} (${packages}) is not installed. ` +
      "Install without --omit=optional; if a lockfile from another platform leaves it out, " +
      "delete node_modules and the lockfile and install again. In a checkout: npm run build";
  } else {
    message = `there is no binary for ${here}`;
  }
  return failure(`seatkit cannot load its addon: ${message}\nSupported: ${SUPPORTED}.`, cause ?? failures[0]);
}

function load() {
  const failures = [];
  const addon = find(failures);
  if (!addon) throw loadError(failures);
  const version = addon.nativeVersion?.();
  if (version !== VERSION) {
    throw failure(
      `seatkit ${VERSION} found a binary of another version (${version ?? "unknown"}). ` +
        "Reinstall seatkit, or rebuild it where it was built from source.",
    );
  }
  return addon;
}

module.exports = load();
