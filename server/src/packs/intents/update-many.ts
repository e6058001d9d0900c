import { compareBytes } from "../../features/locks/tables/path-fault.ts";
import { invalid } from "../../features/entities/conditions.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { writeIntent } from "./change-intent.ts";
import type { IntentChange } from "./change-intent.ts";
import { guardIntent } from "./guard-intent.ts";
import type { FoundIntent } from "./intent-value.ts";
import { isRefusal, readStatus } from "./read-word.ts";
import { finalFault } from "./transition-fault.ts";
import { transitionOf } from "./transition.ts";
import { withPayload } from "./update.ts";

interface UpdateManyInput {
  readonly ids: readonly string[];
  readonly changes?: JsonObject;
  readonly to?: string;
  readonly fence?: string;
}

/** One entry for all of them, or for none. The first refusal in the order of the ids is the answer. */
export function updateManyIntents(input: UpdateManyInput, context: DecideContext): Decision {
  const { changes, fence, to } = input;
  if (changes === undefined && to === undefined) return invalid([{ pointer: "", message: "must have changes or to" }]);
  const ids = [...new Set(input.ids)].toSorted(compareBytes);
  const name = to === undefined ? "update_payload" : "update_status";
  const planned: (readonly [FoundIntent, IntentChange])[] = [];
  for (const id of ids) {
    const found = guardIntent(context, fence === undefined ? { id } : { id, fence }, name);
    if ("outcome" in found) return withId(found, id);
    const change = changeOf(context, found, input);
    if (isRefusal(change)) return withId(change, id);
    planned.push([found, change]);
  }
  return writeAll(context, planned);
}

function changeOf(context: DecideContext, found: FoundIntent, { changes, to }: UpdateManyInput) {
  const { row, value } = found;
  const final = finalFault(row.id, value.status);
  if (final !== undefined) return final;
  const next = changes === undefined ? value : withPayload(value, changes);
  if (to === undefined) return { next, name: "updated", records: [] } satisfies IntentChange;
  const status = readStatus("to", to);
  return isRefusal(status) ? status : transitionOf(context, { row, value: next }, status);
}

/** A write that does not fit refuses all of them. */
function writeAll(context: DecideContext, planned: readonly (readonly [FoundIntent, IntentChange])[]): Decision {
  return context.attempt<Decision>(
    () => {
      const items: JsonObject[] = [];
      for (const [found, change] of planned) {
        const written = writeIntent(context, found, change);
        if ("outcome" in written) return withId(written, found.row.id);
        const { version = 0, revision = "", changed = true } = written.data;
        items.push({ id: found.row.id, version, revision, status: change.next.status, changed });
      }
      return { outcome: done({ items }), events: [] };
    },
    ({ outcome }) => outcome.kind === "done",
  );
}

function withId(decision: Decision, id: string): Decision {
  const { outcome } = decision;
  return { ...decision, outcome: { ...outcome, data: { ...outcome.data, intent_id: id } } };
}
