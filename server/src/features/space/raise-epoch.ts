import type { spaceOperations } from "@holdfast/sdk/contract";
import { done } from "../../machine/outcome.ts";
import type { Decide } from "../rule-of.ts";
import { currentEpoch } from "./space-table.ts";

/**
 * Several nodes may notice the same loss; the first one raises the epoch, the others find it raised. `at_least` leaves
 * room for epochs that may have begun in the part of history that nobody has any more.
 */
export const raiseEpoch: Decide<(typeof spaceOperations)["raise-epoch"]> = (input, { state }) => {
  const epoch = currentEpoch(state);
  if (epoch > input.above) return { outcome: done({ epoch }), events: [] };
  const raised = Math.max(input.above + 1, input.at_least ?? 0);
  return {
    outcome: done({ epoch: raised }),
    events: [{ type: "space.epoch_raised", subject: "space", data: { epoch: raised, reason: input.reason } }],
  };
};
