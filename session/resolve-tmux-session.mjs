export {
  classifyTmuxSessionName,
  buildTmuxSessionLookupArgs,
  resolveTmuxSessionId,
  resolveTmuxSessionExact,
  runTmux,
} from "../index.mjs";
