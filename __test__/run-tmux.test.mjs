import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { resolveTmuxSessionExact, resolveTmuxSessionId, runTmux } from "seatkit/resolve-tmux-session";
import { runTmux as fromMux } from "seatkit/mux";
import { TMUX, cleanEnv, isAlive, needsTmux, pathToTmux, scratch, script, seeded, setEnv, tmuxServer, until } from "./mux-sandbox.mjs";

const sh = (text, options) => runTmux(["-c", text], { bin: "/bin/sh", ...options });

test("runTmux is one function wherever it is exported", () => {
  assert.equal(runTmux, fromMux);
});

test("status and both outputs come back as spawnSync gives them", () => {
  const random = seeded(1);
  const pick = (list) => list[Math.floor(random() * list.length)];
  for (let round = 0; round < 40; round++) {
    const text = `printf '%s' '${pick(["", "a", "é日😀", "a\nb\n", "x".repeat(70_000)])}' ${pick(["", ">&2"])}; printf '%s' '${pick(["", "b\r\n"])}' >&2; exit ${pick([0, 1, 127, 255])}`;
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", text], { encoding: "utf8" });
    assert.deepEqual(sh(text), { status, stdout, stderr }, text);
  }
});

test("the arguments arrive byte for byte", () => {
  const args = ["", " ", "a b", "$HOME", "`id`", "'\"\\", ";", "a;", "#{x}", "-x", "--", "*", "é日😀", "a\nb", "\u0001\u007f"];
  assert.deepEqual(sh(`printf '%s\\0' "$@"`, {}).stdout, "\0", "without arguments");
  const run = runTmux(["-c", `for arg do printf '%s\\0' "$arg"; done`, "sh", ...args], { bin: "/bin/sh" });
  assert.deepEqual(run.stdout.split("\0").slice(0, -1), args);
});

test("outputs larger than any pipe do not lock up", () => {
  const run = sh("head -c 3000000 /dev/zero >&2; head -c 5000000 /dev/zero; head -c 7 /dev/zero >&2");
  assert.deepEqual([run.status, run.stdout.length, run.stderr.length], [0, 5_000_000, 3_000_007]);
});

test("a signal gives no status", () => {
  assert.deepEqual(sh("echo before; kill -TERM $$"), { status: null, stdout: "before\n", stderr: "" });
});

test("past the limit the program is killed and reaped, with what it had written", () => {
  const run = sh("echo $$; exec sleep 600", { timeoutMs: 200 });
  assert.equal(run.status, null);
  assert.equal(isAlive(Number(run.stdout)), false, "neither alive nor a zombie");
});

test(
  "what the program started goes with it past the limit",
  { skip: existsSync("/proc/self/stat") ? false : "no /proc here" },
  async () => {
    const run = sh("sleep 600 & echo $!; (sleep 600 & echo $!; wait) & echo $!; wait", { timeoutMs: 700 });
    assert.equal(run.status, null);
    const pids = run.stdout.trim().split("\n").map(Number);
    assert.equal(pids.length, 3);
    const ended = (pid) => !isAlive(pid) || readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
    for (const pid of pids) await until("its end", () => ended(pid));
  },
);

test(
  "no descriptor of this process reaches a server that is started",
  { ...needsTmux, ...(existsSync("/proc/self/fd") ? {} : { skip: "no /proc here" }) },
  async (t) => {
    const folder = scratch(t);
    const socket = join(folder, "s");
    // A shell gives its child a descriptor as nobody in Node would: open, and not closed on exec.
    const program = `
    const { runTmux } = require(${JSON.stringify(createRequire(import.meta.url).resolve("seatkit/mux"))});
    const options = { socket: ${JSON.stringify(socket)}, config: "/dev/null", bin: ${JSON.stringify(TMUX)} };
    runTmux(["new-session", "-d", "-s", "a", "sleep 600"], options);
    const pid = runTmux(["display-message", "-p", "#{pid}"], options).stdout.trim();
    const open = require("node:fs").readdirSync("/proc/" + pid + "/fd").map((fd) => require("node:fs").readlinkSync("/proc/" + pid + "/fd/" + fd));
    runTmux(["kill-server"], options);
    console.log(JSON.stringify(open));`;
    const held = join(folder, "held");
    const run = spawnSync("/bin/sh", ["-c", 'exec 7>"$1"; exec "$2" -e "$3"', "sh", held, process.execPath, program], {
      encoding: "utf8",
      env: cleanEnv(),
    });
    assert.equal(run.status, 0, run.stderr);
    const open = JSON.parse(run.stdout);
    assert.ok(open.length > 3, run.stdout);
    assert.ok(!open.includes(held), run.stdout);
  },
);

test("more output than a string holds is an error with a code", () => {
  assert.throws(() => sh("head -c 600000000 /dev/zero", { timeoutMs: 60_000 }), {
    name: "Error",
    code: "ENOBUFS",
    message: /it printed more than \d+ bytes/,
  });
});

test("a limit that is not reached changes nothing", () => {
  for (const timeoutMs of [60_000, 0.5 + 60_000, Number.MAX_VALUE]) {
    assert.deepEqual(sh("sleep 0.02; exit 3", { timeoutMs }), { status: 3, stdout: "", stderr: "" });
  }
});

test("a grandchild that holds the outputs holds nobody up, with a limit and without", () => {
  for (const options of [{}, { timeoutMs: 60_000 }]) {
    const run = sh("sleep 600 & echo $!; exit 5", options);
    assert.equal(run.status, 5);
    process.kill(Number(run.stdout), "SIGKILL");
  }
  const endless = sh("yes & echo $! >&2; exit 6");
  assert.equal(endless.status, 6);
  try {
    process.kill(Number(endless.stderr.split("\n")[0]), "SIGKILL");
  } catch (error) {
    assert.equal(error.code, "ESRCH", "it may be gone already, of the closed pipe");
  }
});

test("nothing is left behind: no descriptor, no child", { skip: existsSync("/proc/self/fd") ? false : "no /proc here" }, () => {
  const open = () => readdirSync("/proc/self/fd").length;
  const round = () => {
    sh("exit 1");
    sh("exec sleep 600", { timeoutMs: 5 });
    sh("kill -KILL $$");
    assert.throws(() => runTmux([], { bin: "/nope" }));
    assert.throws(() => runTmux(["x".repeat(8_000_000)], { bin: "/bin/true" }), { code: "E2BIG" });
  };
  round();
  const before = open();
  for (let count = 0; count < 30; count++) round();
  assert.equal(open(), before);
  const children = spawnSync("ps", ["-o", "pid=,stat=", "--ppid", String(process.pid)], { encoding: "utf8" }).stdout;
  assert.doesNotMatch(children, /Z/);
});

test("no signal is blocked in the child and none ignored", { skip: existsSync("/proc/self/status") ? false : "no /proc here" }, () => {
  const masks = Object.fromEntries(
    [...sh("cat /proc/self/status").stdout.matchAll(/^(Sig\w+):\t(\w+)$/gm)].map(([, name, mask]) => [name, BigInt(`0x${mask}`)]),
  );
  // 32 and 33 are the C library's own; posix_spawn leaves them ignored.
  const ours = (1n << 31n) - 1n;
  assert.deepEqual([masks.SigBlk & ours, masks.SigIgn & ours], [0n, 0n]);
  const ignored = BigInt(`0x${/^SigIgn:\t(\w+)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]}`);
  assert.notEqual(ignored & ours, 0n, "Node itself ignores some, so that they could have been inherited");
});

test("stdin is empty", () => {
  assert.deepEqual(runTmux([], { bin: "cat", timeoutMs: 60_000 }), { status: 0, stdout: "", stderr: "" });
});

test("the environment is process.env at the time of the call, or the given one whole", (t) => {
  setEnv(t, { SEATKIT_TEST: "é first" });
  assert.equal(sh('printf %s "$SEATKIT_TEST"').stdout, "é first");
  process.env.SEATKIT_TEST = "second";
  assert.equal(sh('printf %s "$SEATKIT_TEST"').stdout, "second");
  delete process.env.SEATKIT_TEST;
  assert.equal(sh('printf %s "${SEATKIT_TEST-unset}"').stdout, "unset");

  const env = { B: "2", A: 1, GONE: undefined, PATH: process.env.PATH };
  const { stdout } = runTmux([], { bin: "env", env });
  assert.deepEqual(stdout.split("\n").sort(), ["", "A=1", "B=2", `PATH=${process.env.PATH}`]);
});

test("in a worker it is the worker's own process.env", async () => {
  const program = `
    const { workerData, parentPort } = require("node:worker_threads");
    const { runTmux } = require(workerData);
    process.env.SEATKIT_WORKER = "changed here";
    parentPort.postMessage(runTmux(["-c", 'printf %s "$SEATKIT_WORKER"'], { bin: "/bin/sh" }).stdout);`;
  const index = new URL("../lib/index.js", import.meta.url).pathname;
  const worker = new Worker(program, { eval: true, workerData: index, env: { PATH: process.env.PATH } });
  const message = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  assert.equal(message, "changed here");
  assert.equal(process.env.SEATKIT_WORKER, undefined);
});

test("the program is looked for on the PATH of the environment that it gets", (t) => {
  const folder = scratch(t);
  const env = { PATH: `/nope:${folder}` };
  const refused = { code: "ENOENT", syscall: "spawn only-here", path: "only-here", errno: -2 };
  assert.throws(() => runTmux([], { bin: "only-here", env }), refused);
  script(join(folder, "only-here"), "#!/bin/sh\necho found\n");
  assert.equal(runTmux([], { bin: "only-here", env }).stdout, "found\n");
  assert.throws(() => runTmux([], { bin: "only-here" }), refused);
});

test("what cannot be started throws an Error with code, errno, syscall and path", (t) => {
  const folder = scratch(t);
  writeFileSync(join(folder, "plain"), "");
  for (const [bin, code] of [
    ["/nope/tmux", "ENOENT"],
    [join(folder, "plain"), "EACCES"],
    [folder, "EACCES"],
    [`${folder}/plain/x`, "ENOTDIR"],
  ]) {
    assert.throws(
      () => runTmux(["-V"], { bin }),
      (error) => {
        assert.ok(error instanceof Error && !(error instanceof TypeError));
        const { error: expected } = spawnSync(bin, ["-V"]);
        assert.equal(error.code, code);
        assert.deepEqual([error.code, error.errno, error.path], [expected.code, expected.errno, expected.path]);
        assert.equal(error.syscall, `spawn ${bin}`);
        assert.match(error.message, new RegExp(`^spawn .* ${code}: `));
        return true;
      },
    );
  }
});

test("a wrong argument is a TypeError, and nothing is started", (t) => {
  const folder = scratch(t);
  const witness = join(folder, "started");
  const bin = script(join(folder, "bin"), `#!/bin/sh\ntouch '${witness}'\n`);
  const wrong = [
    [undefined],
    [null],
    ["list-sessions"],
    [{ length: 0 }],
    [["a", 1]],
    [["a", undefined]],
    [["a\0b"]],
    [[], 5],
    [[], "x"],
    [[], { socket: 5 }],
    [[], { socket: "" }],
    [[], { socket: "a\0" }],
    [[], { config: {} }],
    [[], { config: "" }],
    [[], { config: "\0" }],
    [[], { env: "x" }],
    [[], { env: { A: "a\0" } }],
    [[], { env: { A: Symbol("a") } }],
    [[], { timeoutMs: "5" }],
    [[], { timeoutMs: 0 }],
    [[], { timeoutMs: -1 }],
    [[], { timeoutMs: NaN }],
    [[], { timeoutMs: Infinity }],
    [[], { bin: "" }],
    [[], { bin: "\0" }],
    [[], { bin: 5 }],
  ];
  for (const [args, options] of wrong) {
    const given = options === undefined ? { bin } : typeof options === "object" ? { bin, ...options } : options;
    assert.throws(() => runTmux(args, given), TypeError, JSON.stringify([args, options]));
  }
  assert.equal(existsSync(witness), false);
  for (const options of [{ bin }, { bin, socket: null, config: undefined, env: null, timeoutMs: null }]) {
    assert.equal(runTmux([], options).status, 0);
  }
  assert.equal(existsSync(witness), true);
});

test("an option that nobody knows is refused, an environment above all", (t) => {
  const folder = scratch(t);
  const witness = join(folder, "started");
  const bin = script(join(folder, "bin"), `#!/bin/sh\ntouch '${witness}'\n`);
  for (const options of [{ bin, timeout: 100 }, { bin, timeoutMS: 100 }, process.env, { ...process.env, bin }]) {
    assert.throws(() => runTmux([], options), { name: "TypeError", message: /^options\.\w+ is not an option$/ });
    assert.throws(() => resolveTmuxSessionExact("kim", options), { name: "TypeError", message: /^options\.\w+ is not an option$/ });
  }
  assert.equal(existsSync(witness), false);
});

test("a socket is a name or a path, and stands with the other flags before the command", () => {
  const flags = (options) => runTmux(["ls", "a;"], { bin: "echo", ...options }).stdout.trimEnd();
  assert.equal(flags({}), "ls a;");
  assert.equal(flags({ socket: "seat" }), "-L seat ls a;");
  assert.equal(flags({ socket: "/run/seat", config: "/dev/null" }), "-S /run/seat -f /dev/null ls a;");
});

test("a session is found on a real server, by options and through the environment", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const [id] = server.list("list-sessions", "-F", "#{session_id}");
  const options = { socket: server.socket, bin: TMUX, env: cleanEnv() };
  assert.deepEqual(
    resolveTmuxSessionId("keeper", (args) => runTmux(args, options)),
    { ok: true, sessionId: id },
  );
  assert.deepEqual(resolveTmuxSessionExact("keeper", options), { ok: true, sessionId: id });
  assert.deepEqual(resolveTmuxSessionExact("keep", options), { ok: false, reason: "tmux-session-missing" });
  assert.deepEqual(resolveTmuxSessionExact("a.b", options), { ok: false, reason: "tmux-session-name-invalid" });

  // Plain `runTmux` asks whatever server the environment names.
  setEnv(t, { TMUX: `${server.socket},1,0`, PATH: pathToTmux() });
  assert.deepEqual(resolveTmuxSessionId("keeper", runTmux), { ok: true, sessionId: id });
  assert.deepEqual(resolveTmuxSessionExact("keeper"), { ok: true, sessionId: id });
});

test("a server that cannot be asked is not a missing session", needsTmux, async (t) => {
  const server = await tmuxServer(t);
  const options = { socket: server.socket, bin: TMUX, env: cleanEnv() };
  const unavailable = { ok: false, reason: "tmux-unavailable" };
  const missing = { ok: false, reason: "tmux-session-missing" };

  const pid = Number(server.list("display-message", "-p", "#{pid}")[0]);
  process.kill(pid, "SIGSTOP");
  try {
    assert.deepEqual(resolveTmuxSessionExact("keeper", { ...options, timeoutMs: 300 }), unavailable);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await until("the server answering again", () => resolveTmuxSessionExact("keeper", options).ok);

  const mismatch = script(
    join(server.folder, "old-tmux"),
    "#!/bin/sh\necho 'protocol version mismatch (client 8, server 7)' >&2\nexit 1\n",
  );
  assert.deepEqual(
    resolveTmuxSessionId("keeper", (args) => runTmux(args, { bin: mismatch })),
    missing,
    "what the plain lookup makes of it",
  );
  assert.deepEqual(resolveTmuxSessionExact("keeper", { bin: mismatch }), unavailable);
  assert.deepEqual(resolveTmuxSessionExact("keeper", { bin: "/nope/tmux" }), unavailable);

  assert.deepEqual(resolveTmuxSessionExact("keeper", { ...options, socket: join(server.folder, "none") }), missing);
});
