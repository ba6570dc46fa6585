// Preloaded (`node --import`) into each suite's process: wherever a file of the suites' folder
// imports one of the modules that seatkit replaces, seatkit's public entry is what it gets. The
// folder itself is only read.

import * as nodeModule from "node:module";
import { modulesToReplace, redirect } from "./conformance-redirect.mjs";

const options = {
  folder: process.env.SEATKIT_CONFORMANCE_DIR,
  // Where `seatkit` itself is resolved from: this checkout, or a folder it is installed in.
  from: process.env.SEATKIT_CONFORMANCE_FROM,
};

if (nodeModule.registerHooks) {
  nodeModule.registerHooks({
    resolve: (specifier, context, nextResolve) => redirect(specifier, context, nextResolve, options),
  });
} else {
  // Node 20 has the asynchronous hooks only.
  nodeModule.register("./conformance-redirect.mjs", import.meta.url, { data: options });
}

export { modulesToReplace };
