import launch = require("seatkit/launch-args");
import lookup = require("seatkit/resolve-tmux-session");
import seatkit = require("seatkit");
import promises = require("seatkit/inbox-claims/promises");

const args: string[] = launch.buildClaudeArgs({ first: "olivia", sessionId: "x", mode: "resume" });
const again: string[] = launch.default.buildClaudeArgs({ first: "olivia", sessionId: "x", mode: "resume" });
const found: seatkit.FoundMux = seatkit.detectMux({ existsSync: () => false });
const answer: lookup.TmuxSessionLookupResult = lookup.resolveTmuxSessionId("main", () => ({ status: 1, stdout: "", stderr: "" }));
// @ts-expect-error no such name
lookup.default;
const swept: Promise<seatkit.SweepResult> = promises.sweepSessionInbox("/seat");
