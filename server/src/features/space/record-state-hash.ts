import type { spaceOperations } from "@holdfast/sdk/contract";
import { done } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { spaceRow } from "./space-table.ts";

/** Every node computes the hash. The first records it, and the others compare theirs with it. */
export const recordStateHash: Decide<(typeof spaceOperations)["record-state-hash"]> = (
  { position, hash },
  { state },
) => {
  if (position <= spaceRow(state).hashedTo) return { outcome: done({ position }), events: [] };
  return {
    outcome: done({ position }),
    events: [{ type: "space.state_hashed", subject: "space", data: { position, hash } }],
  };
};
