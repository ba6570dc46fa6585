// The first part of index.mjs (scripts/entry.mjs puts it there): finds and loads the addon in less
// time than Node takes to start its CommonJS loader. Any difficulty is left to native.js, which
// says what is the matter.
//
// Nothing is imported: `import ... from "node:fs"` alone loads all of `fs/promises` and takes
// longer than the addon, and each file more costs as much as reading the addon does.

const VERSION = "0.1.0";
const SHARED = Symbol.for(`seatkit ${VERSION}`);

/** What a binary at `path` exports, or the error of loading it. */
function open(path) {
  const loaded = { exports: {} };
  try {
    process.dlopen(loaded, path);
    return loaded.exports.nativeVersion?.() === VERSION ? loaded.exports : new Error(`${path} is of another version`);
  } catch (error) {
    return error;
  }
}

function load() {
  const { arch, env, platform } = process;
  const folder = decodeURIComponent(new URL(".", import.meta.url).pathname);
  const libcs = { darwin: [""], linux: ["-gnu", "-musl"] }[platform] ?? [];
  const binaries = [];
  for (const libc of libcs) {
    const target = `${platform}-${arch}${libc}`;
    binaries.push(`${folder}seatkit.${target}.node`, `${folder}../seatkit-${target}/seatkit.${target}.node`);
  }
  const builtin = process.getBuiltinModule;
  if (builtin) {
    const there = env.NAPI_RS_NATIVE_LIBRARY_PATH ? [] : binaries.filter(builtin("node:fs").existsSync);
    const addon = there.length === 1 ? open(there[0]) : undefined;
    if (addon && !(addon instanceof Error)) return addon;
    return builtin("node:module").createRequire(import.meta.url)("./native.js");
  }
  // Before Node 20.16 no builtin can be had without an import: the places are tried in turn.
  const tried = [env.NAPI_RS_NATIVE_LIBRARY_PATH ?? binaries].flat().map(open);
  const addon = tried.find((answer) => !(answer instanceof Error));
  if (addon) return addon;
  const reasons = tried.map((error) => error.message).join("; ") || `there is no binary for ${platform} ${arch}`;
  throw new Error(`seatkit cannot load its addon: ${reasons}`);
}

export const native = (globalThis[SHARED] ??= load());
