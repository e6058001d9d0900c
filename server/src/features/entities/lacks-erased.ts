import type { Entry } from "../../machine/entry.ts";
import { isObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { entityTable, subjectOf } from "./entity-table.ts";

/**
 * Whether the state of a history that is folded again lacks what was erased since. It does between an entry that was
 * erased and the whole value that followed it. With an entry: whether that one may have been decided on what is lacking.
 *
 * `ruled` are the types of entities with rules of their own, which may look at every other entity: at the organization of
 * a project, say. Nobody knows afterwards at which they looked.
 */
export function lacksErased(state: StateReader, ruled: ReadonlySet<string>, entry?: Entry): boolean {
  const rows = state.rows(entityTable);
  if (rows.scan("erased", { limit: 1 }).length === 0) return false;
  if (entry === undefined || weighsAll(entry)) return true;
  return subjectsOf(entry).some((subject) => rows.get(subject)?.isErased === true || ruled.has(typeOf(subject)));
}

const typeOf = (subject: string): string => subject.slice(0, subject.indexOf("/"));

/** The quota counts every row, so whoever was refused by it was decided on all of them. */
function weighsAll({ outcome }: Entry): boolean {
  return outcome.kind === "refusal" && outcome.code === "space_full";
}

/** What an entry is about: a refusal may hold no event, but its input names an entity. */
function subjectsOf({ events, input, operation }: Entry): readonly string[] {
  const subjects = events.map(({ subject }) => subject);
  if (!isObject(input) || typeof input["id"] !== "string") return subjects;
  const type = typeof input["type"] === "string" ? input["type"] : operation.slice(operation.indexOf("-") + 1);
  return [...subjects, subjectOf(type, input["id"])];
}
