// `seatkit completion`: what real shells propose.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const SEATKIT = fileURLToPath(new URL("../lib/command/seatkit.mjs", import.meta.url));

function seatkit(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SEATKIT, ...args], { encoding: "utf8" });
  return { status, stderr, lines: stdout.split("\n").filter(Boolean) };
}

const words = (...given) => seatkit("completion", "words", "--", ...given).lines;

test("commands, and the options of the one that is meant, are proposed", () => {
  assert.deepEqual(words(""), ["inbox", "session", "tmux", "screen", "completion"]);
  assert.deepEqual(words("s"), ["session", "screen"]);
  assert.deepEqual(words("session", "st"), ["start", "stop"]);
  assert.ok(words("session", "start", "--").includes("--record"));
  assert.deepEqual(words("session", "stop", "file", "--g"), ["--grace"]);
  assert.deepEqual(words("session", "stop", ""), [], "files are");
  assert.deepEqual(words("session", "start", "olivia", "--", "claude", "--"), []);
  assert.deepEqual(words("nothing", ""), []);
});

test("a shell that there is none for is refused", () => {
  const answer = seatkit("completion", "csh");
  assert.equal(answer.status, 2);
  assert.match(answer.stderr, /bash, zsh and fish/);
});

test("bash completes with it", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "seatkit-completion-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "seatkit"), `#!/bin/sh\nexec "${process.execPath}" "${SEATKIT}" "$@"\n`);
  chmodSync(join(folder, "seatkit"), 0o755);
  const script = `eval "$(seatkit completion bash)"
    COMP_WORDS=(seatkit session st); COMP_CWORD=2; _seatkit; echo "\${COMPREPLY[@]}"
    complete -p seatkit`;
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { env, encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""]);
  assert.equal(stdout, "start stop\ncomplete -o default -F _seatkit seatkit\n");
});

for (const [shell, args] of [
  ["zsh", ["-n"]],
  ["fish", ["--no-execute"]],
]) {
  const skip = spawnSync(shell, ["--version"]).error ? `${shell} is not installed` : false;
  test(`${shell} can read its own`, { skip }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "seatkit-completion-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "script");
    writeFileSync(file, seatkit("completion", shell).lines.join("\n"));
    const { status, stderr } = spawnSync(shell, [...args, file], { encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
  });
}
