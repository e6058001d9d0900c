/**
 * Redacts replies for callers with write but not read permission: they learn that the write succeeded or why it failed,
 * never the value. The visible members are listed here, or by the operation or problem of a pack. So a new member is hidden
 * until it is listed.
 */
import { isAllowed, pathOfEntity, pathOfType, plainCode, problemOf } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { Call } from "../operations/call.ts";
import type { CallerRights } from "./caller-rights.ts";

type ReplyData = Readonly<Record<string, unknown>>;

/** The members of every written entity that do not reveal its value. */
const writtenMembers = [
  ...["id", "version", "revision", "previous_revision", "changed"],
  ...["changed_at", "changed_by", "position"],
];
/** A pack shows its fields next to these members and leaves out the type, so a field may have that name. */
const entityMembers = ["type", ...writtenMembers];

/** The members of refusals that reveal the value of the entity. */
const valueMembers = ["changes", "changes_reason", "truncated", "pointers"];

/** The redacted reply to a write of an entity or of a pack. Any other reply is unchanged. */
export function redactWriteReply(rights: CallerRights, call: Call, reply: CallReply): CallReply {
  const { kind, pack, entityTypeOf, hasOpenReply } = call.record;
  if (kind !== "write" || hasOpenReply === true || (entityTypeOf === undefined && pack === undefined)) return reply;
  const paths = entityTypeOf === undefined ? touchedPaths(call) : entityPaths(call, reply);
  if (paths?.every((path) => isAllowed(rights.allow, ["read"], path)) === true) return reply;
  const { outcome } = reply;
  if (outcome.kind === "done") {
    const { visibleToWriters = [] } = call.record;
    const visible = pack === undefined ? entityMembers : [...writtenMembers, ...visibleToWriters];
    return { ...reply, outcome: { ...outcome, data: pick(outcome.data as ReplyData, visible) } };
  }
  return { ...reply, outcome: { ...outcome, data: redactRefusal(outcome.code, outcome.data) } };
}

/** The path of the written entity. Without a type no caller may read the value. */
function entityPaths({ record, input }: Call, { outcome }: CallReply): readonly string[] | undefined {
  const given = input as { readonly type?: unknown; readonly id?: unknown };
  const type = record.entityTypeOf?.(given);
  if (typeof type !== "string") return undefined;
  // A resource created without an id got one. A refusal may name the id of another resource.
  const newId = outcome.kind === "done" ? (outcome.data as ReplyData)["id"] : undefined;
  const id = given.id ?? newId;
  return [typeof id === "string" ? pathOfEntity(type, id) : pathOfType(type)];
}

/** The paths that a write of a pack about no single entity touches. Those of an invalid input are unknown. */
function touchedPaths({ record, input }: Call): readonly string[] | undefined {
  if (record.check(input) !== undefined) return undefined;
  return record.rights.flatMap(({ touches }) => {
    const { paths = [], space } = touches(input as never);
    return space === true ? [...paths, ""] : paths;
  });
}

/** A refusal by the rules of a kind or a pack may reveal anything about this value and others. */
function redactRefusal(code: string, data: ReplyData): ReplyData {
  const isOfKind = plainCode(code).includes(".");
  if (!isOfKind) return omit(data, valueMembers);
  return pick(data, problemOf(code).visibleToWriters ?? []);
}

function omit(members: ReplyData, names: readonly string[]): ReplyData {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

/** The named members. `items.id` picks the member `id` of each item. */
function pick(members: ReplyData, names: readonly string[]): ReplyData {
  const picked = Object.entries(members).flatMap(([name, value]): [string, unknown][] => {
    if (names.includes(name)) return [[name, value]];
    const inner = names.filter((each) => each.startsWith(`${name}.`)).map((each) => each.slice(name.length + 1));
    if (inner.length === 0 || !Array.isArray(value)) return [];
    return [[name, (value as readonly ReplyData[]).map((item) => pick(item, inner))]];
  });
  return Object.fromEntries(picked);
}
