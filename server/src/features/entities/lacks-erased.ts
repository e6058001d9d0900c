import type { Entry } from "../../machine/entry.ts";
import { isObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { entityTable, subjectOf } from "./entity-table.ts";

/**
 * Whether a folded state lacks erased data. This is the case between an erased entry and the next whole value. With an
 * entry: whether its decision may have depended on the missing data.
 *
 * `ruled` are the entity types with rules of their own, and the operations of kinds and packs. Such a rule may read any
 * other entity, for example the organization of a project. The journal does not record which ones it read.
 */
export function lacksErased(state: StateReader, ruled: Ruled, entry?: Entry): boolean {
  const rows = state.rows(entityTable);
  if (rows.scan("erased", { limit: 1 }).length === 0) return false;
  if (entry === undefined || isRefusedByQuota(entry) || ruled.operations.has(entry.operation)) return true;
  return subjectsOf(entry).some((subject) => rows.get(subject)?.isErased === true || ruled.types.has(typeOf(subject)));
}

interface Ruled {
  readonly types: ReadonlySet<string>;
  readonly operations: ReadonlySet<string>;
}

const typeOf = (subject: string): string => subject.slice(0, subject.indexOf("/"));

/** The quota counts every row, so a refusal by the quota depends on all of them. */
function isRefusedByQuota({ outcome }: Entry): boolean {
  return outcome.kind === "refusal" && outcome.code === "space_full";
}

/** The subjects of an entry. A refusal may have no event, but its input names an entity. */
function subjectsOf({ events, input }: Entry): readonly string[] {
  const subjects = events.map(({ subject }) => subject);
  if (!isObject(input) || typeof input["id"] !== "string" || typeof input["type"] !== "string") return subjects;
  return [...subjects, subjectOf(input["type"], input["id"])];
}
