import { decideByKind } from "../../features/entities/write-by-kind.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { guardIntent, intentTarget } from "./guard-intent.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import type { IntentTarget } from "./guard-intent.ts";
import { intentKind } from "./intent-kind.ts";
import { openRun } from "./intent-value.ts";

/** Deletes an intent without an open run. */
export function deleteIntent(input: IntentTarget, context: DecideContext): Decision {
  const target = intentTarget(input);
  const found = guardIntent(context, target, "update_status");
  if ("outcome" in found) return found;
  const run = openRun(found.value);
  if (run !== undefined)
    return refused("intents.run_open", { intent_id: input.id, run: found.value.run_count, state: run.state });
  return decideByKind(intentKind, { target, change: { delete: true } }, context);
}
