import { isOfEntity } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import { subjectOf } from "../../features/entities/entity-table.ts";
import { lastRetirement } from "../../features/entities/retire-entity.ts";
import { subjectHistory } from "./subject-history.ts";

interface RetiredEntity {
  /** The position of its retirement. */
  readonly position: number;
  /** Its last version. An erased entry does not have it. */
  readonly version: number;
}

/** Finds an entity that left the state in the journal; undefined if it was not retired. */
export async function retiredEntity(
  engine: Engine,
  { type, id }: { readonly type: string; readonly id: string },
): Promise<RetiredEntity | undefined> {
  if ((await engine.read(lastRetirement)) === undefined) return undefined;
  const subject = subjectOf(type, id);
  // Locks have the same subject, and their events may follow the retirement.
  const isSelected = (name: string): boolean => isOfEntity(name) && name !== "entity.conflict";
  for (let before: number | undefined; ;) {
    const { entries, next } = await subjectHistory(engine, { subject, before, limit: 1, isSelected });
    const [entry] = entries;
    const event = entry?.events.findLast((each) => each.subject === subject && isSelected(each.type));
    if (entry !== undefined && event !== undefined)
      return event.type === "entity.retired"
        ? { position: entry.position, version: Number(event.data["version"] ?? 0) }
        : undefined;
    if (next === null) return undefined;
    before = next;
  }
}
