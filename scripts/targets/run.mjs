// Runs a program aloud and keeps what it says; for another processor in namespaces of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromDebian, project } from "./tools.mjs";

// Where a program for that processor is recognised: its ELF header, and the bits of it that count.
const ARM64 = {
  magic: String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`,
  mask: String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`,
};

/**
 * The script that has the kernel run every arm64 program by qemu, and only below itself: since Linux 6.7 each user
 * namespace has formats of its own, which go with it. P keeps argv[0], F opens qemu now, C keeps set-user-id.
 */
function byQemu() {
  const qemu = join(fromDebian("amd64", "qemu-user"), "usr", "bin", "qemu-aarch64");
  return `set -e
    echo ready >&3
    read -r _
    exec 3>&-
    mount --make-rprivate /
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    printf %s ':arm64:M::${ARM64.magic}:${ARM64.mask}:${qemu}:PFC' >/proc/sys/fs/binfmt_misc/register
    exec "$@" 2>&1 </dev/null`;
}

/** All users and groups of this machine, each as it is. A user who is not root may only be root there, alone. */
function mapUsers(pid) {
  const root = process.getuid() === 0;
  if (!root) writeFileSync(`/proc/${pid}/setgroups`, "deny");
  writeFileSync(`/proc/${pid}/uid_map`, root ? "0 0 4294967295" : `0 ${process.getuid()} 1`);
  writeFileSync(`/proc/${pid}/gid_map`, root ? "0 0 4294967295" : `0 ${process.getgid()} 1`);
}

/** Runs the program; the answer is `{ status, output }`. `emulated` has every arm64 program below it run by qemu. */
export async function aloud(command, args, { cwd = project, env = {}, emulated = false } = {}) {
  console.log(`$ ${[command, ...args].join(" ")}${emulated ? "   (by qemu)" : ""}`);
  const [file, words] = emulated ? ["unshare", ["--user", "--mount", "sh", "-c", byQemu(), "sh", command, ...args]] : [command, args];
  const child = spawn(file, words, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "inherit", "pipe"] });
  const closed = once(child, "close");
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
    process.stdout.write(data);
  });
  if (emulated) {
    // `ready`: the namespaces are there.
    await Promise.race([once(child.stdio[3], "data"), closed]);
    mapUsers(child.pid);
  }
  child.stdin.end("\n");
  const [status] = await closed;
  return { status, output };
}
