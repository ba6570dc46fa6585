import type * as mux from "./mux";
import type { Promised } from "./inbox-claims-promises";

export * from "./mux";

/** As `runTmux` of `seatkit/mux`, off the main thread; a wrong argument is a rejection. */
export declare const runTmux: Promised<typeof mux.runTmux>;
/** As `resolveTmuxSessionExact` of `seatkit/mux`, off the main thread; a wrong argument is a rejection. */
export declare const resolveTmuxSessionExact: Promised<typeof mux.resolveTmuxSessionExact>;
