import type { Entry } from "../../machine/entry.ts";
import { isObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { entityTable, subjectOf } from "./entity-table.ts";

/**
 * Whether a folded state lacks erased data. This is the case between an erased entry and the next whole value. With an
 * entry: whether its decision may have depended on the missing data.
 *
 * `ruledTypes` are the entity types with rules of their own. Such a rule may read any other entity, for example the
 * organization of a project. The journal does not record which ones it read.
 */
export function lacksErased(state: StateReader, ruledTypes: ReadonlySet<string>, entry?: Entry): boolean {
  const rows = state.rows(entityTable);
  if (rows.scan("erased", { limit: 1 }).length === 0) return false;
  if (entry === undefined || isRefusedByQuota(entry)) return true;
  return subjectsOf(entry).some((subject) => rows.get(subject)?.isErased === true || ruledTypes.has(typeOf(subject)));
}

const typeOf = (subject: string): string => subject.slice(0, subject.indexOf("/"));

/** The quota counts every row, so a refusal by the quota depends on all of them. */
function isRefusedByQuota({ outcome }: Entry): boolean {
  return outcome.kind === "refusal" && outcome.code === "space_full";
}

/** The subjects of an entry. A refusal may have no event, but its input names an entity. */
function subjectsOf({ events, input, operation }: Entry): readonly string[] {
  const subjects = events.map(({ subject }) => subject);
  if (!isObject(input) || typeof input["id"] !== "string") return subjects;
  const type = typeof input["type"] === "string" ? input["type"] : operation.slice(operation.indexOf("-") + 1);
  return [...subjects, subjectOf(type, input["id"])];
}
