import type { Event } from "../../machine/entry.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { done, refusal } from "../../machine/refusal.ts";
import { spaceFull } from "../space/space-full.ts";
import { currentEpoch } from "../space/space-table.ts";
import { authorOf, isLive, representationOf, revisionOf, subjectOf } from "./entity-table.ts";
import type { EntityRow, LiveEntityRow } from "./entity-table.ts";
import { sizeOf } from "./size.ts";
import { iso } from "../locks/tables/lock-events.ts";

interface EntityTarget {
  readonly type: string;
  readonly id: string;
}

/** A change that makes a new version of an entity. */
interface EntityChange {
  readonly target: EntityTarget;
  readonly row: EntityRow | undefined;
  readonly value: Json;
  /** The recorded form: a whole value, or the patch. */
  readonly event: { readonly type: string; readonly data: JsonObject };
}

/** How a write of a pack is recorded. */
export interface RecordingOptions {
  /** The verb under which the change is published. */
  readonly name?: string | undefined;
  /** Records the whole value instead of a large patch. */
  readonly isCompact?: boolean;
  /** A command of a kind or a pack made the value, and may have used the time. */
  readonly isMade?: boolean;
}

export function changed(change: EntityChange, context: DecideContext): Decision {
  const { target, row } = change;
  const full = spaceFull(context);
  if (full !== undefined && !isSmaller(change)) return full;
  const version = (row?.version ?? 0) + 1;
  const epoch = currentEpoch(context.state);
  const event: Event = {
    type: change.event.type,
    subject: row?.subject ?? subjectOf(target.type, target.id),
    data: { version, ...change.event.data },
  };
  return {
    outcome: done({
      type: target.type,
      id: target.id,
      version,
      revision: revisionOf({ epoch, version }),
      changed: true,
      previous_revision: isLive(row) ? revisionOf(row) : null,
    }),
    events: [event],
    attachment: {
      value: change.value,
      changed_at: iso(context.time),
      changed_by: authorOf(context.command),
      position: context.position,
    },
  };
}

/** Over the quota no entity may grow. Shrinking and deleting are still allowed. */
function isSmaller({ row, value }: EntityChange): boolean {
  return isLive(row) && sizeOf(value).bytes < row.size.bytes;
}

/** The entity already has this value. Its version stays and nothing is recorded. */
export function unchanged(row: LiveEntityRow): Decision {
  const { value, changed_at, changed_by, position, ...target } = representationOf(row);
  return {
    outcome: done({ ...target, changed: false, previous_revision: revisionOf(row) }),
    events: [],
    attachment: { value, changed_at, changed_by, position } as JsonObject,
  };
}

/** Refuses a command because its entity does not exist. */
export function missing(row: EntityRow | undefined, target: EntityTarget): Decision {
  const code = row === undefined ? "entity_not_found" : "entity_deleted";
  const data = { type: target.type, id: target.id };
  return {
    outcome: refusal(code, row === undefined ? data : { ...data, deleted_at: iso(row.time), position: row.position }),
    events: [],
  };
}
