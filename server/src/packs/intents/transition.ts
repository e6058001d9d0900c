import type { IntentStatus } from "@holdfast/sdk/contract";
import { unchanged } from "../../features/entities/change.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { changeIntent, statusRecord } from "./change-intent.ts";
import type { IntentChange } from "./change-intent.ts";
import { stoppedRun } from "./end-run.ts";
import { guardIntent, intentTarget } from "./guard-intent.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import type { IntentTarget } from "./guard-intent.ts";
import { openRun } from "./intent-value.ts";
import type { FoundIntent } from "./intent-value.ts";
import { isRefusal, readStatus } from "./read-word.ts";
import { isFinal, transitionFault } from "./transition-fault.ts";

interface TransitionInput extends IntentTarget {
  readonly to: string;
}

/** Changes the status. The status that the intent has is not a change where the table allows it. */
export function transitionIntent(input: TransitionInput, context: DecideContext): Decision {
  const found = guardIntent(context, intentTarget(input), "update_status");
  if ("outcome" in found) return found;
  const to = readStatus("to", input.to);
  if (isRefusal(to)) return to;
  const change = transitionOf(context, found, to);
  if (isRefusal(change)) return change;
  return to === found.value.status ? unchanged(found.row) : changeIntent(context, found, change);
}

/**
 * The change of a status, or its refusal. While a run is running, only its steps change the status. The end of the
 * intent ends an interrupted or paused run, since no step can follow.
 */
export function transitionOf(context: DecideContext, found: FoundIntent, to: IntentStatus): IntentChange | Decision {
  const { row, value } = found;
  const run = openRun(value);
  if (run?.state === "running")
    return refused("intents.run_open", { intent_id: row.id, run: value.run_count, state: run.state });
  const fault = transitionFault(row.id, value.status, to);
  if (fault !== undefined) return fault;
  const records = statusRecord(value.status, to);
  const moved = { ...value, status: to };
  if (run === undefined || !isFinal(to)) return { next: moved, name: "transitioned", records };
  const ended = stoppedRun(context, { row, value: moved });
  return { next: ended.next, name: "transitioned", records: [...records, ...ended.records] };
}
