import type { spaceOperations } from "@holdfast/sdk/contract";
import { done, refusal } from "../../machine/refusal.ts";
import type { Decide } from "../rule-of.ts";
import { erasureTable } from "./space-table.ts";

/**
 * The subjects of an entry are in its header, which a decision cannot read. The application layer reads them and adds
 * them to the input. The erasure is refused while the state depends on the data: folding the journal again would give
 * another state.
 */
export const erasePayload: Decide<(typeof spaceOperations)["erase-payload"]> = (input, context) => {
  const { position, reason, events } = input;
  if (events === undefined || position >= context.position) {
    return { outcome: refusal("entry_not_found", { position }), events: [] };
  }
  const erased = context.state.rows(erasureTable).get(String(position));
  if (erased !== undefined) return { outcome: done({ position, erased_by: erased.by }), events: [] };
  const inUse = events.filter(([type, subject]) => context.restsOn({ type, subject }, position));
  if (inUse.length > 0) {
    const subjects = [...new Set(inUse.map(([, subject]) => subject))];
    return { outcome: refusal("entry_in_use", { position, subjects }), events: [] };
  }
  return {
    outcome: done({ position, erased_by: context.position }),
    events: [{ type: "payload.erased", subject: `entry/${String(position)}`, data: { position, reason } }],
  };
};
