import type { spaceOperations } from "@holdfast/sdk/contract";
import { done } from "../../machine/outcome.ts";
import type { Decide } from "../rule-of.ts";

export const recordStateHash: Decide<(typeof spaceOperations)["record-state-hash"]> = ({ position, hash }) => ({
  outcome: done({ position }),
  events: [{ type: "space.state_hashed", subject: "space", data: { position, hash } }],
});
