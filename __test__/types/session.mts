// What a caller of `seatkit/session` may write, and what it gets.

import { adoptSession, listRuns, startSession, stopRun } from "seatkit/session";
import type { Run, Session, SessionPlace, SessionRefused, StopResult } from "seatkit/session";
import type { SessionOutcome } from "seatkit/mux";
import { same } from "./expect.mjs";

const started = await startSession({ muxName: "olivia", cwd: "/", claudeBin: "claude", recordFile: "/r", env: { A: "1", B: null } });
if (started.ok) {
  {
    const it = started.session;
    same<Session, typeof it>(true);
  }
  {
    const it = started.session.state();
    same<"running" | "suspended" | "ended", typeof it>(true);
  }
  {
    const it = await started.session.ended();
    same<SessionOutcome, typeof it>(true);
  }
  {
    const it = await started.session.ended({ timeoutMs: 5, signal: AbortSignal.timeout(5) });
    same<SessionOutcome | null, typeof it>(true);
  }
  {
    const it = await started.session.where();
    same<SessionPlace | null, typeof it>(true);
  }
  {
    const it = await started.session.stop({ graceMs: 5, everything: true, stopSignal: "SIGINT" });
    same<StopResult, typeof it>(true);
  }
  {
    const it = await started.session.read({ lines: 3 });
    same<string, typeof it>(true);
  }
  {
    const it = started.session.record.process?.pid;
    same<number | undefined, typeof it>(true);
  }
  // @ts-expect-error: no such signal asks
  await started.session.stop({ stopSignal: "SIGKILL" });
  // @ts-expect-error: an option that there is not
  await started.session.send("x", { return: true });
} else {
  {
    const it = started;
    same<SessionRefused, typeof it>(true);
  }
  {
    const it = started.message;
    same<string, typeof it>(true);
  }
}
// @ts-expect-error: a session is called something
await startSession({ cwd: "/", claudeBin: "claude" });
const adopted = await adoptSession("/r");
{
  const it = adopted.ok;
  same<boolean, typeof it>(true);
}
{
  const it = await listRuns();
  same<Run[], typeof it>(true);
}
{
  const it = (await stopRun("run", { graceMs: 0 })).left;
  same<{ pid: number; command: string }[], typeof it>(true);
}
