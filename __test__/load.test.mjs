import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);
const addon = readdirSync(project).find((name) => /^seatkit\..+\.node$/.test(name));
const target = addon.slice("seatkit.".length, -".node".length);

function mkdtempIn(t) {
  const root = mkdtempSync(join(tmpdir(), "seatkit-load-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/**
 * What comes of loading the addon from a copy of the loader in a folder of its own, with what
 * `prepare` puts beside it; once by `require` and once by `import`, which must agree.
 */
function loadIn(t, { prepare = () => {}, env = {}, before = "" } = {}) {
  const folder = join(mkdtempIn(t), "node_modules", "seatkit");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(folder, "lib"));
  copyFileSync(join(project, "lib/native.js"), join(folder, "lib/native.js"));
  prepare(folder);
  const { NAPI_RS_NATIVE_LIBRARY_PATH: _, ...inherited } = process.env;
  const [required, imported] = [`require("./lib/native.js")`, `(await import("./lib/native.js")).default`].map((load) => {
    const program = `${before}
      (async () => ${load})().then(
        (addon) => ({ version: addon.nativeVersion() }),
        ({ name, code, message, cause }) => ({ name, code, message, cause: cause && { code: cause.code, message: cause.message.split("\\n")[0] } }),
      ).then((answer) => console.log(JSON.stringify(answer)))`;
    return JSON.parse(execFileSync(process.execPath, ["-e", program], { cwd: folder, encoding: "utf8", env: { ...inherited, ...env } }));
  });
  assert.deepEqual(imported, required);
  return required;
}

const place = (name) => (folder) => copyFileSync(join(project, addon), join(folder, name));
const spoil = (name) => (folder) => writeFileSync(join(folder, name), "not a shared object");

/** Puts a platform package beside the folder, its binary made by `put`. */
const asPackage =
  (put, name = addon) =>
  (folder) => {
    const platform = `seatkit-${name.slice("seatkit.".length, -".node".length)}`;
    const home = join(folder, "..", platform);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "package.json"), JSON.stringify({ name: platform, version: "0.1.0", main: name }));
    put(name)(home);
  };

test("the addon loads from beside the loader, from its platform package, and from a named path", (t) => {
  const { version } = require("../package.json");
  assert.deepEqual(loadIn(t, { prepare: place(addon) }), { version });
  assert.deepEqual(loadIn(t, { prepare: asPackage(place) }), { version });
  const env = { NAPI_RS_NATIVE_LIBRARY_PATH: join(project, addon) };
  assert.deepEqual(loadIn(t, { env }), { version });
});

test("a platform without a binary is told so, with the ones that have one", (t) => {
  const before = `Object.defineProperty(process, "platform", { value: "win32" });
    Object.defineProperty(process, "arch", { value: "x64" });`;
  const error = loadIn(t, { before, prepare: place(addon) });
  assert.equal(error.name, "Error");
  assert.equal(error.code, "ERR_SEATKIT_NATIVE");
  assert.match(error.message, /there is no binary for win32 x64/);
  assert.match(error.message, /Supported: macOS on arm64 and x64, Linux on arm64 and x64/);

  const arch = `Object.defineProperty(process, "arch", { value: "riscv64" });`;
  assert.match(loadIn(t, { before: arch }).message, /there is no binary for \w+ riscv64/);
});

test("a missing platform package is named, with the usual reason and the remedy", (t) => {
  const error = loadIn(t);
  assert.equal(error.code, "ERR_SEATKIT_NATIVE");
  assert.match(error.message, new RegExp(`the package .*seatkit-${target}.* is not installed`));
  assert.match(error.message, /--omit=optional/);
});

test("a binary that is present and does not load says why, in the linker's own words", (t) => {
  for (const prepare of [spoil(addon), asPackage(spoil)]) {
    const error = loadIn(t, { prepare });
    assert.equal(error.code, "ERR_SEATKIT_NATIVE");
    assert.match(error.message, /the binary for \w+ \w+ is present but did not load: /);
    assert.equal(error.cause.code, "ERR_DLOPEN_FAILED");
    assert.ok(error.message.includes(error.cause.message.trim()), error.message);
    assert.match(error.cause.message, /seatkit\..+\.node/);
    assert.doesNotMatch(error.message, /Cannot find module/);
  }
});

const onLinux = { skip: process.platform !== "linux" };
const other = addon.includes("gnu") ? addon.replace("gnu", "musl") : addon.replace("musl", "gnu");

test("the C library is seen and not guessed: beside a binary for the other one, this machine's is found", onLinux, (t) => {
  const { version } = require("../package.json");
  for (const both of [(put, name) => put(name), asPackage]) {
    const prepare = (folder) => {
      both(place, addon)(folder);
      both(spoil, other)(folder);
    };
    assert.equal(loadIn(t, { prepare }).version, version);
  }
});

test("the package for the other C library alone names the one to install", onLinux, (t) => {
  const error = loadIn(t, { prepare: asPackage(spoil, other) });
  assert.equal(error.code, "ERR_SEATKIT_NATIVE");
  const [is, wanted] = [other, addon].map((name) => `seatkit-${name.slice("seatkit.".length, -".node".length)}`);
  assert.match(error.message, new RegExp(`${is} is installed, which is for the other C library; install ${wanted} beside seatkit`));
});

test("a named path is the only one tried, and its failure is the one reported", (t) => {
  const absent = loadIn(t, { prepare: place(addon), env: { NAPI_RS_NATIVE_LIBRARY_PATH: "/nonexistent/seatkit.node" } });
  assert.match(absent.message, /there is no binary at NAPI_RS_NATIVE_LIBRARY_PATH \(\/nonexistent\/seatkit\.node\)/);
  const broken = loadIn(t, {
    prepare: (folder) => {
      place(addon)(folder);
      spoil("other.node")(folder);
    },
    env: { NAPI_RS_NATIVE_LIBRARY_PATH: "./other.node" },
  });
  assert.match(broken.message, /what NAPI_RS_NATIVE_LIBRARY_PATH names \(\.\/other\.node\) is present but did not load: .*other\.node/);
});

test("what NAPI_RS_NATIVE_LIBRARY_PATH names for another package is passed over", (t) => {
  const { version } = require("../package.json");
  const foreign = (folder) => {
    writeFileSync(join(folder, "loader.cjs"), "exports.crc32 = () => 0;\n");
    // An addon of this machine's that was made by napi-rs too.
    const linter = join(project, "node_modules", "@oxlint", `binding-${target}`, `oxlint.${target}.node`);
    if (existsSync(linter)) copyFileSync(linter, join(folder, "foreign.node"));
    return existsSync(linter) ? ["./loader.cjs", "./foreign.node"] : ["./loader.cjs"];
  };
  const names = foreign(mkdtempIn(t));
  for (const name of names) {
    const env = { NAPI_RS_NATIVE_LIBRARY_PATH: name };
    const prepare = (folder) => {
      foreign(folder);
      place(addon)(folder);
    };
    assert.deepEqual(loadIn(t, { prepare, env }), { version }, name);
    const alone = loadIn(t, { prepare: foreign, env });
    assert.match(alone.message, /is not installed.*NAPI_RS_NATIVE_LIBRARY_PATH names the addon of another package, \.\/\w+\.\w+\.\)/);
  }
});

test("a binary of another version is refused", (t) => {
  const error = loadIn(t, {
    prepare: (folder) => {
      place(addon)(folder);
      const loader = join(folder, "lib/native.js");
      writeFileSync(loader, readFileSync(loader, "utf8").replace(/VERSION = ".+"/, 'VERSION = "99.0.0"'));
    },
  });
  assert.equal(error.code, "ERR_SEATKIT_NATIVE");
  assert.match(error.message, /seatkit 99\.0\.0 found a binary of another version \(0\.1\.0\)/);
});

test("whichever of import and require comes first, both give the same functions", () => {
  const orders = ["const r = require(s); const i = await import(s);", "const i = await import(s); const r = require(s);"];
  for (const order of orders) {
    const program = `(async () => {
      for (const s of ["seatkit", "seatkit/launch-args", "seatkit/resolve-tmux-session"]) {
        ${order}
        for (const name of Object.keys(r)) if (name !== "default" && r[name] !== i[name]) throw new Error(name);
      }
    })().then(() => console.log("same"))`;
    assert.equal(execFileSync(process.execPath, ["-e", program], { cwd: project, encoding: "utf8" }), "same\n");
  }
});

test("the package, the crate, the platform packages and the loader agree on the version", () => {
  const { version } = require("../package.json");
  const field = (file, pattern) => pattern.exec(readFileSync(join(project, file), "utf8"))?.[1];
  assert.equal(field("Cargo.toml", /^version = "(.+)"$/m), version);
  assert.equal(field("lib/native.js", /VERSION = "(.+)"/), version);
  for (const platform of readdirSync(join(project, "npm"))) {
    assert.equal(require(`../npm/${platform}/package.json`).version, version, platform);
  }
});
