// `seatkit inbox`.

import { list } from "./list.mjs";
import { claim, defer, done, find, release, renew, reply } from "./marks.mjs";
import { sweep } from "./sweep.mjs";

export const inbox = {
  name: "inbox",
  summary: "See and work through the inbox of a seat.",
  commands: [list, find, claim, defer, reply, done, release, renew, sweep],
  examples: ["seatkit inbox list", "seatkit inbox claim cohort-m1 && seatkit inbox reply cohort-m1 && seatkit inbox done cohort-m1"],
};
