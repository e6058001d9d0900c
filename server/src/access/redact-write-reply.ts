/**
 * Redacts replies for callers with write but not read permission: they learn that the write succeeded or why it failed,
 * never the value. The visible members are listed here, so a new member of an operation or a pack is hidden until it is
 * listed.
 */
import {
  entityOperations,
  isAllowed,
  packOfOperation,
  plainCode,
  resourceOfOperation,
  rightOf,
} from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
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

interface WriteReply {
  readonly operation: string;
  readonly input: unknown;
  readonly reply: CallReply;
  /** The commands of kinds, each with its entity type. */
  readonly kindCommands: ReadonlyMap<string, string>;
}

/** The redacted reply to a write. Any other reply is unchanged. */
export function redactWriteReply(rights: CallerRights, write: WriteReply): CallReply {
  const { operation, reply } = write;
  if (!writesEntity(operation) || mayRead(rights, write)) return reply;
  const { outcome } = reply;
  if (outcome.kind === "done") {
    const visible = packOfOperation(operation) === undefined ? entityMembers : writtenMembers;
    return { ...reply, outcome: { ...outcome, data: pick(outcome.data as ReplyData, visible) } };
  }
  return { ...reply, outcome: { ...outcome, data: redactRefusal(outcome.code, outcome.data) } };
}

/** An operation without a right in the contract is a command of a kind, and changes an entity of it. */
function writesEntity(operation: string): boolean {
  const pack = packOfOperation(operation);
  if (pack !== undefined) return pack.operations[operation]?.kind !== "read";
  if (Object.hasOwn(entityOperations, operation)) {
    return entityOperations[operation as keyof typeof entityOperations].kind !== "read";
  }
  return rightOf(operation) === undefined;
}

/** The reply of a pack has no entity type, so the operation determines it. Without a type no caller may read the value. */
function mayRead({ allow }: CallerRights, { operation, input, reply, kindCommands }: WriteReply): boolean {
  const target = input as { readonly type?: unknown; readonly id?: unknown } | undefined;
  const pack = packOfOperation(operation);
  const type =
    pack === undefined ? (kindCommands.get(operation) ?? target?.type) : resourceOfOperation(pack, operation)?.type;
  if (typeof type !== "string") return false;
  // A resource created without an id got one. A refusal may name the id of another resource.
  const newId = reply.outcome.kind === "done" ? (reply.outcome.data as ReplyData)["id"] : undefined;
  const id = target?.id ?? newId;
  return isAllowed(allow, ["read"], typeof id === "string" ? `${type}/${id}` : type);
}

/** A refusal by the rules of a kind or a pack may reveal anything about this value and others. */
function redactRefusal(code: string, data: ReplyData): ReplyData {
  const isOfKind = plainCode(code).includes(".");
  return isOfKind ? {} : omit(data, valueMembers);
}

function omit(members: ReplyData, names: readonly string[]): ReplyData {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

function pick(members: ReplyData, names: readonly string[]): ReplyData {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
}
