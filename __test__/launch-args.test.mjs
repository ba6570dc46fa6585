import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  BOOTSTRAP_PROMPT,
  MUX_CANDIDATES,
  SESSION_EXIT_SCRIPT,
  buildClaudeArgs,
  buildMuxCommands,
  chooseMux,
  detectMux,
  mainSessionName,
  parseExitFile,
  parseScreenList,
} from "seatkit/launch-args";

const ID = "0A1b2C3d-4e5f-6071-8293-a4b5c6d7e8f9";
const session = (over = {}) => ({ first: "kim", sessionId: ID, mode: "resume", ...over });
const launch = (kind, over = {}) => ({
  mux: { kind, bin: `/bin/${kind}` },
  muxName: "seat-kim",
  cwd: "/seat",
  claudeBin: "/opt/claude",
  claudeArgs: ["--name", "kim-main"],
  exitFile: "/seat/last exit",
  ...over,
});
/** The error for an argument that no type allows: it says which one it is. */
const wrongType = (name) => (error) => error instanceof TypeError && error.message.startsWith(`${name} `);
const WRAPPED = ["/bin/sh", "-c", SESSION_EXIT_SCRIPT, "maestro-session", "/seat/last exit", "/opt/claude", "--name", "kim-main"];

// ---- buildClaudeArgs, mainSessionName

test("the main session is called after the agent", () => {
  assert.equal(mainSessionName("kim"), "kim-main");
  assert.equal(mainSessionName(undefined), "undefined-main");
  assert.equal(mainSessionName(null), "null-main");
  assert.equal(mainSessionName("\ud800\0"), "\ufffd\0-main", "as any argv has it");
  for (const wrong of [Symbol("kim"), 7, {}]) assert.throws(() => mainSessionName(wrong), wrongType("first"));
});

test("an id is created on its first launch and resumed on every later one", () => {
  assert.deepEqual(buildClaudeArgs(session({ mode: "session-id" })).slice(2, 4), ["--session-id", ID]);
  assert.deepEqual(buildClaudeArgs(session({ mode: "resume" })).slice(2, 4), ["--resume", ID]);
});

test("permissions stand before further arguments, and the prompt is last", () => {
  const args = buildClaudeArgs(session({ permissionArgs: ["-p", "x"], extraArgs: ["-e"], prompt: "go" }));
  assert.deepEqual(args, ["--name", "kim-main", "--resume", ID, "-p", "x", "-e", "go"]);
});

test("lists may be missing; without a prompt the session bootstraps", () => {
  for (const nothing of [undefined, null]) {
    for (const prompt of [nothing, ""]) {
      const args = buildClaudeArgs(session({ permissionArgs: nothing, extraArgs: nothing, prompt }));
      assert.deepEqual(args, ["--name", "kim-main", "--resume", ID, BOOTSTRAP_PROMPT]);
    }
  }
  assert.equal(buildClaudeArgs(session({ first: undefined }))[1], "undefined-main");
});

test("a thousand arguments and more are passed on", () => {
  const many = Array.from({ length: 150_000 }, (_, i) => `${i}`);
  const args = buildClaudeArgs(session({ permissionArgs: many }));
  assert.equal(args.length, 150_005);
  assert.deepEqual(args.slice(4, -1), many);
});

test("what is no text is refused by its name, and keys that nobody knows do no harm", () => {
  const wrong = { first: 7, sessionId: [ID], mode: ["resume"], permissionArgs: "ab", extraArgs: ["a", undefined], prompt: {} };
  for (const [name, value] of Object.entries(wrong))
    assert.throws(() => buildClaudeArgs(session({ [name]: value })), wrongType(`a.${name}`));
  assert.equal(buildClaudeArgs(session({ model: "opus" })).length, 5);
});

test("an id that is no UUID is refused, with the id as JSON", () => {
  const refused = [
    ["nope", '"nope"'],
    [`${ID}\n`, `"${ID}\\n"`],
    ["\ud800", '"\ufffd"'],
    ['"\\\b\u001f', '"\\"\\\\\\b\\u001f"'],
    ["", '""'],
    [undefined, "undefined"],
    [null, "null"],
  ];
  for (const [sessionId, json] of refused) {
    assert.throws(() => buildClaudeArgs(session({ sessionId })), {
      name: "Error",
      message: `buildClaudeArgs: session id must be a uuid, got ${json}`,
    });
  }
});

test("a mode is one of the two words", () => {
  for (const [mode, json] of [
    ["attach", '"attach"'],
    [undefined, "undefined"],
    [null, "null"],
  ]) {
    assert.throws(() => buildClaudeArgs(session({ mode })), {
      name: "Error",
      message: `buildClaudeArgs: unknown mode ${json}`,
    });
  }
});

test("no argument at all is a TypeError", () => {
  assert.throws(() => buildClaudeArgs(), wrongType("a"));
  assert.throws(() => buildMuxCommands(null), wrongType("a"));
  assert.throws(() => chooseMux("auto"), wrongType("found"));
});

// ---- detectMux, chooseMux

test("the candidates are asked in order, until one is there", () => {
  const asked = [];
  const found = detectMux({ existsSync: (path) => asked.push(path) && path === MUX_CANDIDATES.tmux[1] });
  assert.deepEqual(found, { tmux: MUX_CANDIDATES.tmux[1], screen: null });
  assert.deepEqual(asked, [...MUX_CANDIDATES.tmux.slice(0, 2), ...MUX_CANDIDATES.screen]);
});

test("existsSync is a method that gets the path alone, and any true answer affirms", () => {
  const deps = {
    existsSync(...args) {
      assert.equal(this, deps);
      assert.equal(args.length, 1);
      return "yes";
    },
  };
  assert.deepEqual(detectMux(deps), { tmux: MUX_CANDIDATES.tmux[0], screen: MUX_CANDIDATES.screen[0] });
});

test("a probe that throws, or is no function, reads as absent", () => {
  const none = { tmux: null, screen: null };
  for (const deps of [
    {
      existsSync() {
        throw undefined;
      },
    },
    { existsSync: 7 },
    {},
    undefined,
  ]) {
    assert.deepEqual(detectMux(deps), none);
  }
});

test("a preference that is not installed gives way to what is", () => {
  const tmux = { kind: "tmux", bin: "/t" };
  const screen = { kind: "screen", bin: "/s" };
  const both = { tmux: "/t", screen: "/s" };
  assert.deepEqual(chooseMux("screen", both), screen);
  for (const preference of ["tmux", "auto", "zellij", undefined, null]) assert.deepEqual(chooseMux(preference, both), tmux);
  assert.deepEqual(chooseMux("screen", { tmux: "/t", screen: null }), tmux);
  assert.deepEqual(chooseMux("tmux", { tmux: "", screen: "/s" }), screen);
  assert.equal(chooseMux("auto", {}), null);
});

// ---- buildMuxCommands

test("screen stays in the foreground and cleans up after dead sessions", () => {
  const command = (...args) => ({ file: "/bin/screen", args });
  assert.deepEqual(buildMuxCommands(launch("screen")), {
    blocking: true,
    start: command("-D", "-m", "-S", "seat-kim", ...WRAPPED),
    waitProbe: null,
    exists: command("-ls"),
    wipe: command("-wipe"),
    stop: command("-S", "seat-kim", "-X", "quit"),
  });
});

test("tmux detaches, and one probe by exact name serves for waiting and for finding", () => {
  const command = (...args) => ({ file: "/bin/tmux", args });
  const commands = buildMuxCommands(launch("tmux"));
  const probe = command("has-session", "-t", "=seat-kim");
  assert.deepEqual(commands, {
    blocking: false,
    start: command("new-session", "-d", "-s", "seat-kim", "-c", "/seat", ...WRAPPED),
    waitProbe: probe,
    exists: probe,
    wipe: null,
    stop: command("kill-session", "-t", "=seat-kim"),
  });
  assert.equal(commands.exists, commands.waitProbe);
});

test("another kind of multiplexer is refused, with the kind as JSON", () => {
  for (const [kind, json] of [
    ["zellij", '"zellij"'],
    [undefined, "undefined"],
    [null, "null"],
  ]) {
    assert.throws(() => buildMuxCommands(launch(kind)), {
      name: "Error",
      message: `buildMuxCommands: unknown mux kind ${json}`,
    });
  }
});

test("what is missing or no text is refused by its name; screen needs no folder", () => {
  for (const [name, value] of [
    ["mux", undefined],
    ["muxName", 7],
    ["cwd", undefined],
    ["claudeBin", null],
    ["claudeArgs", undefined],
    ["claudeArgs", ["a", 1]],
    ["exitFile", {}],
  ]) {
    assert.throws(() => buildMuxCommands(launch("tmux", { [name]: value })), wrongType(`a.${name}`));
  }
  assert.throws(() => buildMuxCommands(launch("tmux", { mux: { kind: "tmux" } })), wrongType("a.mux.bin"));
  assert.deepEqual(buildMuxCommands(launch("screen", { cwd: undefined })), buildMuxCommands(launch("screen")));
});

test("the exit script records the code of a command whose words hold anything", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "seatkit-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const exitFile = join(folder, 'it\'s $HOME `x` "last"');
  const inner = ["/bin/sh", "-c", 'printf %s "$1"; exit 41', "child", "$(touch /dev/null) ; '\"\\ é"];
  const { status, stdout } = spawnSync("/bin/sh", ["-c", SESSION_EXIT_SCRIPT, "label", exitFile, ...inner]);
  assert.equal(status, 41);
  assert.equal(String(stdout), inner.at(-1));
  assert.equal(parseExitFile(readFileSync(exitFile, "utf8")), 41);
});

// ---- parseScreenList

test("a session is listed by its whole name", () => {
  const out =
    "There are screens on:\r\n\t71.seat.kim\t(08/25/2017 10:50:37 AM)\t(Detached)\r\n\t72.seat-kim-2\t(Attached)\r\n2 Sockets in /run.\r\n";
  assert.equal(parseScreenList(out, "seat.kim"), true);
  assert.equal(parseScreenList(out, "seat-kim-2"), true);
  for (const name of ["seat", "seat-kim", "seat-kim-22", "kim", "71.seat.kim", "seat.*", "SEAT.KIM", ""]) {
    assert.equal(parseScreenList(out, name), false, name);
  }
});

test("a dead session is not live, one beside it may be", () => {
  for (const state of ["(Dead ???)", "(Remote or dead)", "(Removed)"]) {
    assert.equal(parseScreenList(`\t9.kim\t${state}\n`, "kim"), false, state);
    assert.equal(parseScreenList(`\t9.kim\t${state}\n\t10.kim\t(Detached)\n`, "kim"), true, state);
  }
  for (const state of ["(Deadline)", "(Attached)", "(Multi, detached)", "(Unknown)"]) {
    assert.equal(parseScreenList(`\t9.kim\t${state}\n`, "kim"), true, state);
  }
});

test("white space and digits are JavaScript's", () => {
  assert.equal(parseScreenList("\ufeff\u2029 9.kim\u00a0", "kim"), true);
  assert.equal(parseScreenList("\u00859.kim", "kim"), false);
  assert.equal(parseScreenList("\u0669.kim", "kim"), false);
});

test("only a string is a listing and only a string is a name", () => {
  for (const out of [null, undefined, 7, new String("9.kim"), ["9.kim"]]) {
    assert.equal(parseScreenList(out, undefined), false);
  }
  for (const name of [undefined, null, 7, Symbol("kim"), new String("k.m")])
    assert.throws(() => parseScreenList("9.kim", name), wrongType("name"));
});

// ---- parseExitFile

test("one to three digits are an exit code, with white space around them", () => {
  const codes = [
    ["0\n", 0],
    [" 137\r\n", 137],
    ["007", 7],
    ["\ufeff1\u3000", 1],
    ["999", 999],
  ];
  for (const [text, code] of codes) assert.equal(parseExitFile(text), code, JSON.stringify(text));
});

test("anything else is no exit code", () => {
  const texts = ["", " ", "x", "1x", "-1", "1.0", "1e2", "0x1", "1000", "1 2", "\u00851", "\u0661", "\uff11", "1\0"];
  for (const text of [...texts, null, undefined, 1, new String("1"), ["1"]]) assert.equal(parseExitFile(text), null);
});
