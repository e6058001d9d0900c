/**
 * Marks a run whose lock ended, in the entry that ends the lock and before the next owner gets it. So the runs to resume
 * are a list, and the next owner finds the run as it was left.
 */
import type { JsonObject } from "@holdfast/sdk/json/json";
import { patchEntity } from "../../features/entities/patch-entity.ts";
import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import { grantTable } from "../../features/locks/tables/lock-tables.ts";
import type { Event } from "../../machine/entry.ts";
import type { DecideContext, Reaction } from "../../machine/feature.ts";
import { recordEvent } from "./change-intent.ts";
import { stoppedRun, withRun } from "./end-run.ts";
import type { IntentStep } from "./end-run.ts";
import { intentKind } from "./intent-kind.ts";
import { gap, intentTable } from "./intent-table.ts";
import { findIntent, intentPath, intentType, openRun } from "./intent-value.ts";
import type { FoundIntent, StoredRun } from "./intent-value.ts";
import { mergeBetween } from "./merge-between.ts";

/** Maximum runs under one fence: the paths of a set. */
const runsMax = 1_000;

/** By event type: the member with the fence that ended. */
const endings: Readonly<Record<string, { readonly member: string; readonly left: string }>> = {
  "lock.released": { member: "fence", left: "released" },
  "lock.expired": { member: "fence", left: "expired" },
  "lock.recovered": { member: "fence", left: "recovered" },
  "lock.forced": { member: "fence", left: "forced" },
  "lock.upgraded": { member: "previous_fence", left: "upgraded" },
  "lock.downgraded": { member: "previous_fence", left: "downgraded" },
  "lock.transferred": { member: "previous_fence", left: "transferred" },
  "lock.adopted": { member: "previous_fence", left: "adopted" },
};

const interrupt: Reaction = (event, context) => {
  const ending = endings[event.type];
  const { state } = context;
  if (ending === undefined || !mayCoverIntent(event.data)) return [];
  if (state.rows(intentTable).count("fence") === 0) return [];
  const fence = event.data[ending.member];
  if (typeof fence !== "string") return [];
  const running = state.rows(intentTable).scan("fence", { prefix: `${fence}${gap}`, limit: runsMax });
  return running.flatMap(({ id }) => interruptedRun(context, { id, fence, left: ending.left }));
};

/**
 * False for a lock that covers no intent, so that its end costs no look-up of its fence. The event of a set with all its
 * paths is the last one. The other ones come before the grant has changed.
 */
function mayCoverIntent({ resource_id: path, paths, of }: JsonObject): boolean {
  if (of !== undefined) return false;
  return paths !== undefined || isAtOrBelow(path as string, intentType);
}

export const interruptRun: Readonly<Record<string, Reaction>> = Object.fromEntries(
  Object.keys(endings).map((type) => [type, interrupt]),
);

interface EndedLock {
  readonly id: string;
  readonly fence: string;
  readonly left: string;
}

function interruptedRun(context: DecideContext, { id, fence, left }: EndedLock): readonly Event[] {
  const found = findIntent(context.state, id);
  // A set may be released in part, and the run continues under the rest.
  if (found === undefined || isStillHeld(context, id, fence)) return [];
  const { next, records } = leftRun(context, found, left);
  const { row, value } = found;
  const merge = mergeBetween(value as unknown as JsonObject, next as unknown as JsonObject);
  const kindOf = () => intentKind;
  const patch = patchEntity(kindOf, { name: "interrupted", isCompact: true });
  const { events } = patch({ type: row.type, id, merge }, context);
  const version = row.version + 1;
  return [...events, ...records.map((record) => recordEvent(id, record, { value: next, version }))];
}

function isStillHeld({ state }: DecideContext, id: string, fence: string): boolean {
  const paths = state.rows(grantTable).get(fence)?.paths ?? [];
  return paths.some(({ path, mode }) => mode === "write" && isAtOrBelow(intentPath(id), path));
}

/** The run without its lock. If a stop was requested, the run has ended. */
function leftRun(context: DecideContext, found: FoundIntent, left: string): IntentStep {
  const { value } = found;
  const { fence: _fence, owner: _owner, ...run } = openRun(value) as StoredRun;
  const interrupted = withRun(value, { ...run, state: "interrupted", left });
  if (run.stop !== undefined) return stoppedRun(context, { row: found.row, value: interrupted });
  const record = { type: "intent.run_interrupted", data: { run: value.run_count, left } };
  return { next: interrupted, records: [record] };
}
