import { test } from "node:test";
import assert from "node:assert/strict";

import { buildTmuxSessionLookupArgs, classifyTmuxSessionName, resolveTmuxSessionId } from "seatkit/resolve-tmux-session";

const ran = (over) => ({ status: 0, stdout: "$4\n", stderr: "", ...over });
const INVALID = "tmux-session-name-invalid";

test("a name is a letter or digit, then letters, digits, `_` and `-`", () => {
  for (const name of ["kim", "0", "A-b_9", "a-", "a_"]) assert.equal(classifyTmuxSessionName(name), null, name);
  for (const name of ["", "_a", "-a", "a.b", "a:b", "a b", "a#b", "$0", "=a", "a\n", "é", "a\0", "\ud800"]) {
    assert.equal(classifyTmuxSessionName(name), INVALID, JSON.stringify(name));
  }
});

test("a missing name is taken as the text it has, anything else that is no text is refused", () => {
  assert.equal(classifyTmuxSessionName(undefined), null, "its text is `undefined`");
  assert.equal(classifyTmuxSessionName(null), null);
  for (const wrong of [7, {}, Symbol("kim"), ["kim"]])
    assert.throws(() => classifyTmuxSessionName(wrong), { name: "TypeError", message: /^name / });
});

test("a lookup asks for the exact name", () => {
  assert.deepEqual(buildTmuxSessionLookupArgs("kim"), ["list-windows", "-t", "=kim", "-F", "#{session_id}"]);
  assert.throws(() => buildTmuxSessionLookupArgs("a.b\0\ud800"), {
    name: "Error",
    message: "resolve-tmux-session: refusing to build a lookup for an unresolvable session name: a.b\0\ufffd",
  });
});

test("an invalid name is refused without running tmux", () => {
  const run = () => assert.fail("tmux was run");
  assert.deepEqual(resolveTmuxSessionId("a.b", run), { ok: false, reason: INVALID });
});

test("the runner gets the lookup and nothing else", () => {
  const calls = [];
  resolveTmuxSessionId("kim", function (...args) {
    calls.push([this, args]);
    return ran();
  });
  assert.deepEqual(calls, [[undefined, [buildTmuxSessionLookupArgs("kim")]]]);
});

test("one id on every line is the answer", () => {
  for (const stdout of ["$4\n", "$4", "\n $4 \r\n$4\n\n", "\ufeff$4\u2028"]) {
    assert.deepEqual(
      resolveTmuxSessionId("kim", () => ran({ stdout })),
      { ok: true, sessionId: "$4" },
    );
  }
});

test("any status but 0 is a missing session", () => {
  const missing = { ok: false, reason: "tmux-session-missing" };
  for (const status of [1, -1, undefined, NaN]) {
    assert.deepEqual(
      resolveTmuxSessionId("kim", () => ran({ status })),
      missing,
    );
  }
  assert.deepEqual(
    resolveTmuxSessionId("kim", async () => ran()),
    missing,
    "a promise has no status",
  );
});

test("a killed run is an error, not an absence", () => {
  assert.throws(() => resolveTmuxSessionId("kim", () => ran({ status: null, stderr: " lost\n" })), {
    name: "Error",
    message: 'resolve-tmux-session: the lookup for session "kim" was killed by a signal: lost',
  });
});

test("an output that is not one id is an error that shows it", () => {
  for (const stdout of ["", "\n", "4", "$", "$4x", "$4\n$5", "$4 $4", "\u0085$4", "$4\0\u2028"]) {
    assert.throws(() => resolveTmuxSessionId("kim", () => ran({ stdout })), {
      name: "Error",
      message: `resolve-tmux-session: tmux answered rc=0 for session "kim" with something that is not one native session id: ${JSON.stringify(stdout)}`,
    });
  }
});

test("what the runner throws comes out as it is", () => {
  for (const thrown of [new RangeError("x"), "text", undefined, null, 7, Symbol("s"), Object.freeze({ a: 1 })]) {
    let caught = "nothing";
    try {
      resolveTmuxSessionId("kim", () => {
        throw thrown;
      });
    } catch (error) {
      caught = error;
    }
    assert.equal(caught, thrown);
  }
});

test("what the runner has to give is given, and nothing else is asked for", () => {
  const missing = { ok: false, reason: "tmux-session-missing" };
  assert.deepEqual(
    resolveTmuxSessionId("kim", () => ({ status: 1 })),
    missing,
  );
  assert.deepEqual(
    resolveTmuxSessionId("kim", () => ({ status: 1, stdout: null, stderr: null, pid: 7 })),
    missing,
  );
  for (const [answer, name] of [
    [{ status: 0 }, "run().stdout"],
    [{ status: null }, "run().stderr"],
    [ran({ stdout: Buffer.from("$4") }), "run().stdout"],
    [ran({ status: "0" }), "run().status"],
    [null, "run()"],
    ["$4", "run()"],
  ]) {
    assert.throws(
      () => resolveTmuxSessionId("kim", () => answer),
      (error) => error instanceof TypeError && error.message.startsWith(`${name} `),
      name,
    );
  }
  for (const run of [undefined, "tmux", {}]) assert.throws(() => resolveTmuxSessionId("kim", run), { name: "TypeError", message: /^run / });
});
