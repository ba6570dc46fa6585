// Every name of the modules, flat; of those that two modules have, that of `seatkit/mux`.
"use strict";

module.exports = {
  ...require("./inbox-claims"),
  ...require("./launch-args"),
  ...require("./resolve-tmux-session"),
  ...require("./mux-placement"),
  ...require("./mux"),
  ...require("./session"),
};
