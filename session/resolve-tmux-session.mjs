export {
  classifyTmuxSessionName,
  buildTmuxSessionLookupArgs,
  resolveTmuxSessionId,
} from "../index.js";
