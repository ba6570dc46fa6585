// `seatkit inbox`.

import { list } from "./list.mjs";
import { archive, deliver } from "./deliver.mjs";
import { claim, defer, done, fail, find, release, renew, reopen, reply } from "./marks.mjs";
import { next, watch } from "./next.mjs";
import { sweep } from "./sweep.mjs";

export const inbox = {
  name: "inbox",
  summary: "See and work through the inbox of a seat.",
  commands: [list, find, deliver, next, claim, defer, reply, done, release, renew, fail, reopen, sweep, archive, watch],
  examples: ["seatkit inbox list", "seatkit inbox claim cohort-m1 && seatkit inbox reply cohort-m1 && seatkit inbox done cohort-m1"],
};
