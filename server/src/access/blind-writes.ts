/**
 * Who may write something and not read it is told that it was written, or why not, and nothing of what is written there.
 * What is told is named here, so whatever an operation or a pack comes to show is left out until somebody names it.
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
import type { Standing } from "./standing.ts";

type Facts = Readonly<Record<string, unknown>>;

/** What is known of every written entity, whatever it holds. */
const writtenFacts = [
  ...["id", "version", "revision", "previous_revision", "changed"],
  ...["changed_at", "changed_by", "position"],
];
/** A pack shows fields beside the facts and leaves out the type: there a field may be called so. */
const entityFacts = ["type", ...writtenFacts];

/** What refusals of every writer tell of the value that they met. */
const toldOfValue = ["changes", "changes_reason", "truncated", "pointers"];

export interface AnsweredWrite {
  readonly operation: string;
  readonly input: unknown;
  readonly reply: CallReply;
  /** The commands that kinds of entities bring, each with its type of entity. */
  readonly kindCommands: ReadonlyMap<string, string>;
}

/** The answer to a write as its caller may see it; any other answer as it is. */
export function shownWrite(standing: Standing, write: AnsweredWrite): CallReply {
  const { operation, reply } = write;
  if (!writesEntity(operation) || mayRead(standing, write)) return reply;
  const { outcome } = reply;
  if (outcome.kind === "done") {
    const told = packOfOperation(operation) === undefined ? entityFacts : writtenFacts;
    return { ...reply, outcome: { ...outcome, data: only(outcome.data as Facts, told) } };
  }
  return { ...reply, outcome: { ...outcome, data: refusedFacts(outcome.code, outcome.data) } };
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

/** A pack's answer does not say of which type its entity is, so the operation does. What has no type nobody may read. */
function mayRead({ allow }: Standing, { operation, input, reply, kindCommands }: AnsweredWrite): boolean {
  const given = input as { readonly type?: unknown; readonly id?: unknown } | undefined;
  const pack = packOfOperation(operation);
  const type =
    pack === undefined ? (kindCommands.get(operation) ?? given?.type) : resourceOfOperation(pack, operation)?.type;
  if (typeof type !== "string") return false;
  // One that was made without an id got one; a refusal may name the id of something else.
  const made = reply.outcome.kind === "done" ? (reply.outcome.data as Facts)["id"] : undefined;
  const id = given?.id ?? made;
  return isAllowed(allow, ["read"], typeof id === "string" ? `${type}/${id}` : type);
}

/** What a kind or a pack refuses by rules of its own may tell anything of the value, and of others. */
function refusedFacts(code: string, data: Facts): Facts {
  const isOfKind = plainCode(code).includes(".");
  return isOfKind ? {} : without(data, toldOfValue);
}

function without(facts: Facts, names: readonly string[]): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => !names.includes(name)));
}

function only(facts: Facts, names: readonly string[]): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => names.includes(name)));
}
