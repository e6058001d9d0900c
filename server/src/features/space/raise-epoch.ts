import type { InputOf } from "@holdfast/sdk/contract";
import type { spaceOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/outcome.ts";
import { currentEpoch } from "./space-table.ts";

/** Several nodes may notice the same loss; the first one raises the epoch, the others find it raised. */
export function raiseEpoch(input: InputOf<(typeof spaceOperations)["raise-epoch"]>, context: DecideContext): Decision {
  const epoch = currentEpoch(context.state);
  if (epoch > input.above) return { outcome: done({ epoch }), events: [] };
  const raised = input.above + 1;
  return {
    outcome: done({ epoch: raised }),
    events: [{ type: "space.epoch_raised", subject: "space", data: { epoch: raised, reason: input.reason } }],
  };
}
