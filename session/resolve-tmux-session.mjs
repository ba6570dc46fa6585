export {
  classifyTmuxSessionName,
  buildTmuxSessionLookupArgs,
  resolveTmuxSessionId,
} from "../index.mjs";
