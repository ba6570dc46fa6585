import {
  PLACEMENT_FIELDS,
  appendWindow,
  assertLaunchTarget,
  buildFreshWindowArgs,
  classifyTmuxCwd,
  closeWindow,
  inspectPlacement,
  LaunchPreconditionError,
} from "seatkit/mux-placement";
import type { LaunchRejectReason, Placement, PlacementRejectReason, TmuxCwdRejectReason, WindowHandle } from "seatkit/mux-placement";
import { same } from "./expect.mjs";

const here = inspectPlacement(process.env);
if (here.ok) {
  same<typeof here.placement, Placement>(true);
  const window = appendWindow(here.placement);
  same<typeof window, WindowHandle>(true);
  same<ReturnType<typeof closeWindow>, "closed" | "already-gone">(true);
} else {
  same<typeof here.reason, PlacementRejectReason>(true);
}
// @ts-expect-error it may not be known
here.placement;
// @ts-expect-error a handle names its server
closeWindow({ windowId: "@1" });
// @ts-expect-error the fields are frozen
PLACEMENT_FIELDS.push("x");

same<ReturnType<typeof classifyTmuxCwd>, TmuxCwdRejectReason | null>(true);
same<ReturnType<typeof buildFreshWindowArgs>, string[]>(true);
// @ts-expect-error the program's arguments are a list
buildFreshWindowArgs("$1", "/usr/bin/claude", "--resume");
try {
  assertLaunchTarget("claude");
} catch (error) {
  if (error instanceof LaunchPreconditionError) same<typeof error.reason, LaunchRejectReason>(true);
}
