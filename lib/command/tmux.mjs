// `seatkit tmux`.

import { existsSync } from "node:fs";
import { command } from "./command.mjs";
import { Failure } from "./failure.mjs";

/** Where tmux is, as every other part of this package looks for it; `PATH` where it is nowhere. */
async function found() {
  const { muxCandidates } = await import("seatkit/mux");
  const bin = muxCandidates().tmux.find((path) => existsSync(path));
  return bin === undefined ? {} : { bin };
}

const WHY = {
  "tmux-session-name-invalid": (name) => `${JSON.stringify(name)} cannot be the name of a tmux session`,
  "tmux-session-missing": (name) => `there is no tmux session called ${JSON.stringify(name)}`,
  "tmux-unavailable": () => "the tmux server could not be asked, or tmux not be run",
  "no-tmux-context": () => "this is no pane of tmux: TMUX and TMUX_PANE are not set",
  "anchor-malformed": () => "TMUX_PANE names no pane",
  "anchor-unresolved": () => "tmux knows no such pane: TMUX and TMUX_PANE are of another server, or the pane is gone",
  "anchor-mismatch": () => "tmux answered for another pane than it was asked for: TMUX is of a server that is gone",
};

const resolve = command({
  name: "resolve",
  summary: "Print the native id of the session with this very name.",
  args: ["NAME"],
  options: { socket: { type: "string", value: "SOCKET", help: "the server: a name as of tmux -L, or a path as of tmux -S" } },
  examples: ['tmux attach -t "$(seatkit tmux resolve maestro-olivia)"'],
  async run({ args: { NAME: name }, values: { socket }, output }) {
    const { resolveTmuxSessionExact } = await import("seatkit/resolve-tmux-session");
    const answer = resolveTmuxSessionExact(name, { ...(await found()), ...(socket === undefined ? {} : { socket }) });
    if (!answer.ok) throw new Failure(answer.reason, WHY[answer.reason](name));
    output.answer(answer, [answer.sessionId]);
  },
});

const where = command({
  name: "where",
  summary: "Print the place of the caller: server, session, window and pane.",
  examples: ["seatkit tmux where", "seatkit tmux where --json"],
  async run({ output, env }) {
    const { inspectPlacement } = await import("seatkit/mux-placement");
    let answer;
    try {
      answer = inspectPlacement(env, await found());
    } catch (error) {
      throw new Failure("tmux-unavailable", error.message, error.code);
    }
    if (!answer.ok) throw new Failure(answer.reason, WHY[answer.reason]());
    const { serverPid, sessionId, windowId, windowIndex, paneId, panePid } = answer.placement;
    output.answer(answer, [
      `server  pid ${serverPid}`,
      `session ${sessionId}`,
      `window  ${windowId}, index ${windowIndex}`,
      `pane    ${paneId}, pid ${panePid}`,
    ]);
  },
});

export const tmux = {
  name: "tmux",
  summary: "Find sessions and places in tmux by their native ids.",
  commands: [resolve, where],
  examples: ["seatkit tmux resolve maestro-olivia", "seatkit tmux where"],
};
