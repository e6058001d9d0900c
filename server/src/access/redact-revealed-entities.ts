/**
 * A refusal of a pack may name other entities, such as the booking that a change clashes with. Each problem declares
 * which members name them. The caller gets those of entities that it may read.
 */
import { isAllowed, pathOfEntity, problemOf } from "@holdfast/sdk/contract";
import type { RevealedEntity } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { Call } from "../operations/call.ts";
import type { CallerRights } from "./caller-rights.ts";
import { maySeePath } from "./redact-paths.ts";

type Members = Readonly<Record<string, unknown>>;

export function redactRevealedEntities(rights: CallerRights, call: Call, reply: CallReply): CallReply {
  const { outcome } = reply;
  if (outcome.kind === "done") return reply;
  const { reveals = [] } = problemOf(outcome.code);
  if (reveals.length === 0) return reply;
  const own = call.record.entityTypeOf?.(call.input as Members);
  const isHidden = (members: Members, entity: RevealedEntity): boolean => {
    const id = members[entity.id];
    if (entity.path !== undefined) {
      return typeof id === "string" && !isAllowed(rights.allow, ["read"], filled(entity.path, id, outcome.data));
    }
    if (entity.isPath === true) return typeof id === "string" && !maySeePath(rights, id);
    const { type: typeName = "" } = entity;
    const type = typeName.startsWith(".") ? members[typeName.slice(1)] : typeName === "own" ? own : typeName;
    const isNamed = typeof type === "string" && typeof id === "string";
    return id !== undefined && !(isNamed && isAllowed(rights.allow, ["read"], pathOfEntity(type, id)));
  };
  const data = reveals.reduce<Members>((members, entity) => withoutHidden(members, entity, isHidden), outcome.data);
  return { ...reply, outcome: { ...outcome, data } };
}

function withoutHidden(
  data: Members,
  entity: RevealedEntity,
  isHidden: (members: Members, entity: RevealedEntity) => boolean,
): Members {
  const { member } = entity;
  if (member === undefined) return isHidden(data, entity) ? omit(data, [entity.id, ...(entity.also ?? [])]) : data;
  const value = data[member];
  if (Array.isArray(value)) {
    const items = value as readonly Members[];
    return { ...data, [member]: items.flatMap((item) => (isHidden(item, entity) ? kept(item, entity) : [item])) };
  }
  return typeof value === "object" && value !== null && isHidden(value as Members, entity)
    ? omit(data, [member])
    : data;
}

/** A path with the id and with members of the data. */
function filled(path: string, id: string, data: Members): string {
  return path.replaceAll(/\{(\w*)\}/gu, (_, name: string) => {
    const member = data[name];
    return name === "" ? id : typeof member === "string" ? member : "";
  });
}

function kept(item: Members, { keeps }: RevealedEntity): readonly Members[] {
  if (keeps === undefined) return [];
  return [Object.fromEntries(Object.entries(item).filter(([name]) => keeps.includes(name)))];
}

function omit(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
