import type { DecideContext, Decision } from "../../machine/feature.ts";
import { refusal } from "../../machine/refusal.ts";
import { spaceRow } from "./space-table.ts";

/**
 * The refusal of a command that would add rows while the state is over its quota; undefined below the quota. A command
 * that removes, ends or renews something never asks, because it must work in a full space.
 */
export function spaceFull({ state }: Pick<DecideContext, "state">): Decision | undefined {
  const { state_bytes_max: bytesMax } = spaceRow(state).settings;
  const { bytes } = state;
  if (bytes <= bytesMax) return undefined;
  return { outcome: refusal("space_full", { state_bytes: bytes, state_bytes_max: bytesMax }), events: [] };
}
