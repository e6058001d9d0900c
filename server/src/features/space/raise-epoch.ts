import type { spaceOperations } from "@holdfast/sdk/contract";
import { done } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { currentEpoch } from "./space-table.ts";

/**
 * Several nodes may detect the same loss. The first raises the epoch, and the others find it raised. `at_least` leaves
 * room for epochs that may have begun in the lost part of the history. `revoke_tokens` ends the tokens of an imported
 * journal. The feature of the tokens reacts to the event, so no command runs between the two.
 */
export const raiseEpoch: Decide<(typeof spaceOperations)["raise-epoch"]> = (input, { state }) => {
  const epoch = currentEpoch(state);
  if (epoch > input.above) return { outcome: done({ epoch }), events: [] };
  const revoked = input.revoke_tokens === true ? { tokens_revoked: true } : {};
  const raised = Math.max(input.above + 1, input.at_least ?? 0);
  return {
    outcome: done({ epoch: raised }),
    events: [
      { type: "space.epoch_raised", subject: "space", data: { epoch: raised, reason: input.reason, ...revoked } },
    ],
  };
};
