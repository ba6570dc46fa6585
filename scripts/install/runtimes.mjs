// The JavaScript runtimes that the package is tried on, from registry packages that carry their
// binaries. Where there are none for this machine (musl, macOS), the Node that runs this is the one.

import { join } from "node:path";
import { place } from "./packages.mjs";

const { arch, platform } = process;
const glibc = platform === "linux" && Boolean(process.report.getReport().header.glibcVersionRuntime);
const cpu = { arm64: "aarch64", x64: "x64" }[arch];

// The first of the oldest line, then the newest of each.
const NODES = ["20.0.0", "20.20.2", "22.23.5", "24.22.3", "26.12.1"];

const PACKAGES = glibc
  ? [
      ...NODES.map((version) => ({
        kind: "node",
        label: `Node ${version}`,
        alias: `node-${version}`,
        name: `node-${platform}-${arch}`,
        version,
        bin: "bin/node",
      })),
      { kind: "bun", label: "Bun 1.4.5", alias: "bun", name: `@oven/bun-${platform}-${cpu}`, version: "1.4.5", bin: "bin/bun" },
      { kind: "deno", label: "Deno 2.9.6", alias: "deno", name: `@deno/${platform}-${arch}-glibc`, version: "2.9.6", bin: "deno" },
    ]
  : [];

/** Installs them into `folder` unless they are there; each is `{ kind, label, bin }`. */
export function runtimes(folder) {
  const current = { kind: "node", label: `Node ${process.versions.node} (the current one)`, bin: process.execPath };
  if (PACKAGES.length === 0) return [current];
  const modules = place(folder, Object.fromEntries(PACKAGES.map(({ alias, name, version }) => [alias, `npm:${name}@${version}`])));
  return PACKAGES.map(({ kind, label, alias, bin }) => ({ kind, label, bin: join(modules, alias, bin) }));
}
