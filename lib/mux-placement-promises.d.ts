import type * as placement from "./mux-placement";
import type { Promised } from "./inbox-claims-promises";

export * from "./mux-placement";

/** As `runTmux` of `seatkit/mux-placement`, off the main thread; a wrong argument is a rejection. */
export declare const runTmux: Promised<typeof placement.runTmux>;
/** As `inspectPlacement` of `seatkit/mux-placement`, off the main thread; a wrong argument is a rejection. */
export declare const inspectPlacement: Promised<typeof placement.inspectPlacement>;
/** As `appendWindow` of `seatkit/mux-placement`, off the main thread; a wrong argument is a rejection. */
export declare const appendWindow: Promised<typeof placement.appendWindow>;
/** As `closeWindow` of `seatkit/mux-placement`, off the main thread; a wrong argument is a rejection. */
export declare const closeWindow: Promised<typeof placement.closeWindow>;
/** As `requireSameContext` of `seatkit/mux-placement`, off the main thread; a wrong argument is a rejection. */
export declare const requireSameContext: Promised<typeof placement.requireSameContext>;
/** As `requireSameServer` of `seatkit/mux-placement`, off the main thread; a wrong argument is a rejection. */
export declare const requireSameServer: Promised<typeof placement.requireSameServer>;
