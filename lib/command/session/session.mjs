// `seatkit session`: one session by what it is.

import { list } from "./list.mjs";
import { start } from "./start.mjs";
import { read, send, where } from "./pane.mjs";
import { stop, wait } from "./end.mjs";

export const session = {
  name: "session",
  summary: "Start a session, and follow, reach and end it by what it is.",
  commands: [start, list, wait, stop, where, send, read],
  examples: [
    "seatkit session start maestro-olivia --record ~/seat/session.json -- claude --resume",
    "seatkit session list",
    "seatkit session wait ~/seat/session.json",
    "seatkit session stop ~/seat/session.json --grace 30s",
  ],
};
