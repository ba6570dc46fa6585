// The day's work of docs/day.md, typed as it stands there: it says what it says there.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { SEATKIT } from "./cli-seat.mjs";
import { cleanEnv } from "./mux-sandbox.mjs";

const page = readFileSync(new URL("../docs/day.md", import.meta.url), "utf8");
const transcript = [...page.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text]) => text).join("");

/** Each command with what it says. */
const steps = transcript
  .split(/^\$ /m)
  .slice(1)
  .map((step) => step.split(/\n(.*)/s))
  .map(([command, said]) => ({ command, said }));

/** What differs from day to day: the times of deliveries, the month of the archive, ages and what is aligned by them. */
const timeless = (text) =>
  text
    .replace(/\d{4}-\d{2}-\d{2}T[\d-]{12}Z/g, "TIME")
    .replace(/inbox-archive\/(\w+)\/\d{4}-\d{2}\//g, "inbox-archive/$1/MONTH/")
    .replace(/ \d+s( |$)/gm, " AGE$1")
    .replace(/ +/g, " ")
    .replace(/ $/gm, "");

test("a day's work goes as it is written down", async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), "seatkit-day-"));
  t.after(() => rmSync(cwd, { recursive: true }));
  mkdirSync(join(cwd, "seat"));
  mkdirSync(join(cwd, "bin"));
  writeFileSync(join(cwd, "bin", "seatkit"), `#!/bin/sh\nexec "${process.execPath}" "${SEATKIT}" "$@"\n`);
  chmodSync(join(cwd, "bin", "seatkit"), 0o755);
  const env = { ...cleanEnv(), PATH: `${join(cwd, "bin")}:${process.env.PATH}`, LC_ALL: "C.UTF-8" };
  // One shell for the whole day, which says after each command that it is over.
  const shell = spawn("sh", [], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  shell.stdin.write("exec 2>&1\n");
  shell.stdin.end(steps.map(({ command }) => `${command}\necho "-- over"\n`).join(""));
  const said = (await shell.stdout.setEncoding("utf8").toArray()).join("").split("-- over\n");
  assert.ok(steps.length > 15);
  steps.forEach(({ command, said: expected }, index) => assert.equal(timeless(said[index]), timeless(expected), command));
});
