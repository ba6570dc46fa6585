export * from "./lib/inbox-claims";
export * from "./lib/launch-args";
export * from "./lib/resolve-tmux-session";
export * from "./lib/mux-placement";
export * from "./lib/mux";
export * from "./lib/session";
// Of a name that two modules have, that of `seatkit/mux`.
export { runTmux } from "./lib/mux";
