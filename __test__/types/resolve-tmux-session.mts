import { buildTmuxSessionLookupArgs, classifyTmuxSessionName, resolveTmuxSessionId } from "seatkit/resolve-tmux-session";
import type { TmuxSessionRejectReason } from "seatkit/resolve-tmux-session";
import { spawnSync } from "node:child_process";
import { same } from "./expect.mjs";

const answer = resolveTmuxSessionId("main", (args) => spawnSync("tmux", args, { encoding: "utf8" }));
if (answer.ok) {
  same<typeof answer.sessionId, string>(true);
  // @ts-expect-error a found session has no reason
  answer.reason;
} else {
  same<typeof answer.reason, TmuxSessionRejectReason>(true);
  // @ts-expect-error nor a missing one an id
  answer.sessionId;
}
// @ts-expect-error the answer is not known to be good yet
answer.sessionId;
// @ts-expect-error a runner's answer has a status
resolveTmuxSessionId("main", () => ({ stdout: "", stderr: "" }));
// @ts-expect-error a runner is synchronous
resolveTmuxSessionId("main", async () => ({ status: 0, stdout: "", stderr: "" }));

same<ReturnType<typeof classifyTmuxSessionName>, "tmux-session-name-invalid" | null>(true);
same<ReturnType<typeof buildTmuxSessionLookupArgs>, string[]>(true);
