// A user's program, type-checked against the installed package under each module setting.
import { markSessionClaim, sweepSessionInbox } from "seatkit/inbox-claims";
import launch, { chooseMux, detectMux } from "seatkit/launch-args";
import { resolveTmuxSessionId } from "seatkit/resolve-tmux-session";
import * as seatkit from "seatkit";

const mux: seatkit.Mux | null = chooseMux("auto", detectMux({ existsSync: () => true }));
const args: string[] = launch.buildClaudeArgs({ first: "olivia", sessionId: "x", mode: "resume" });
const claim = markSessionClaim("/seat", "mail", { id: "a1" }, { now: Date.now() });
const path: string = claim.ok ? claim.path : claim.error;
const { reopened } = sweepSessionInbox("/seat", { now: Date.now() });
const reasons: string[] = reopened.map((item) => item.reason);
const session = resolveTmuxSessionId("main", () => ({ status: 1, stdout: "", stderr: "" }));
export const answer: string = session.ok ? session.sessionId : session.reason;
export { args, mux, path, reasons };

// @ts-expect-error the installed types know what a mode is
launch.buildClaudeArgs({ first: "olivia", sessionId: "x", mode: "restart" });
