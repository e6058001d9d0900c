import { checkOf, conditions, entityId, ofEntityOfType, operation } from "@holdfast/sdk/contract";
import type { InputCheck, Operation } from "@holdfast/sdk/contract";
import Type from "typebox";
import type { Static, TProperties, TSchema } from "typebox";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { refusal } from "../../machine/refusal.ts";
import { holdsLock } from "../locks/for-features/holds-lock.ts";
import { findEntity, isLive } from "./entity-table.ts";

/** The context of a kind's rules. */
export interface KindContext {
  /** The operation that changes the entity. */
  readonly operation: string;
  /** For packs, which keep tables about their entities. */
  readonly state: StateReader;
  /** The id of the entity. */
  readonly id: string;
  readonly time: number;
  readonly principal: string;
  readonly agent: string | undefined;
  /** The value of another entity at this position. */
  readonly get: (type: string, id: string) => Json | undefined;
  /**
   * Whether the caller holds a write lock on the path or a tree above it, by its agent or by the fence that it sent.
   */
  readonly holdsLock: (path: string) => boolean;
}

/** A refusal by a kind. Its code becomes `<type>.<code>`, or starts with the name of its pack. */
export class KindRefusal {
  readonly code: string;
  readonly data: JsonObject;

  constructor(code: string, data: JsonObject) {
    this.code = code;
    this.data = data;
  }
}

/** Refuses a change with a code of the kind and data for the caller. */
export function refuse(code: string, data: JsonObject = {}): KindRefusal {
  return new KindRefusal(code, data);
}

/** A command of a kind. It receives the current value and returns the new one, or refuses. */
export interface KindCommand<Value, Input extends TProperties> {
  readonly summary: string;
  readonly input: Input;
  /** The verb under which the change is published: `closed` makes `evt.ticket.closed`. */
  readonly event: string;
  readonly decide: (
    current: Value,
    input: Static<ReturnType<typeof Type.Object<Input>>>,
    context: KindContext,
  ) => Value | KindRefusal;
}

export interface KindDefinition<Value extends TSchema, Commands extends Record<string, TProperties>> {
  readonly type: string;
  /** The prefix of its codes; the type by default. */
  readonly codes?: string;
  readonly value: Value;
  /** Decides whether a change is allowed. `next` is undefined for a deletion, `previous` for a creation. */
  readonly rule?: (
    next: Static<Value> | undefined,
    previous: Static<Value> | undefined,
    context: KindContext,
  ) => KindRefusal | undefined;
  readonly commands?: { readonly [Verb in keyof Commands]: KindCommand<Static<Value>, Commands[Verb]> };
  /** True if its rules use locks. Holdfast then refuses to start while the lock manager is switched off. */
  readonly needsLocks?: boolean;
}

/** A kind as the machine uses it, without its value type. */
export interface Kind {
  readonly type: string;
  readonly codes: string;
  readonly needsLocks: boolean;
  readonly check: InputCheck;
  readonly rule:
    ((next: Json | undefined, previous: Json | undefined, context: KindContext) => KindRefusal | undefined) | undefined;
  readonly commands: readonly KindOperation[];
}

/** One command of a kind, named `<verb>-<type>` like every other operation. */
export interface KindOperation {
  readonly operation: Operation;
  readonly event: string;
  readonly decide: (current: Json, input: JsonObject, context: KindContext) => Json | KindRefusal;
}

export type KindOf = (type: string) => Kind | undefined;

/** Defines an entity type with a schema, a rule for every change, and its own commands. */
export function defineKind<Value extends TSchema, Commands extends Record<string, TProperties>>(
  definition: KindDefinition<Value, Commands>,
): Kind {
  const commands = Object.entries((definition.commands ?? {}) as Record<string, KindCommand<never, TProperties>>);
  return {
    type: definition.type,
    codes: definition.codes ?? definition.type,
    needsLocks: definition.needsLocks === true,
    check: checkOf(definition.value),
    rule: definition.rule as Kind["rule"],
    commands: commands.map(([verb, command]) => kindOperation(definition.type, verb, command)),
  };
}

function kindOperation(type: string, verb: string, command: KindCommand<never, TProperties>): KindOperation {
  return {
    operation: operation({
      name: `${verb}-${type}`,
      kind: "write",
      summary: command.summary,
      input: Type.Object({ id: entityId, ...command.input, ...conditions }, { additionalProperties: false }),
      output: Type.Unknown(),
      problems: ["entity_not_found", "entity_deleted", "concurrency_mismatch", "field_changed", "kind_violated"],
      rights: [{ verbs: ["write"], touches: ofEntityOfType(type) }],
      routes: [],
      example: { id: "42" },
    }),
    event: command.event,
    decide: command.decide as unknown as KindOperation["decide"],
  };
}

/** The refusal of a change by its kind; undefined if it is allowed. */
export function kindViolation(
  kind: Kind | undefined,
  change: {
    readonly target: { readonly id: string; readonly fence?: string };
    readonly value: Json | undefined;
    readonly previous: Json | undefined;
  },
  context: DecideContext,
): Decision | undefined {
  if (kind === undefined) return undefined;
  const issues = change.value === undefined ? undefined : kind.check(change.value);
  if (issues !== undefined) {
    const data = { type: kind.type, issues: issues.map((issue) => ({ ...issue })) };
    return { outcome: refusal("kind_violated", data), events: [] };
  }
  const refused = kind.rule?.(change.value, change.previous, kindContext(context, change.target));
  return refused === undefined ? undefined : kindRefusal(kind, refused);
}

export function kindRefusal(kind: Kind, refused: KindRefusal): Decision {
  return { outcome: refusal(`${kind.codes}.${refused.code}`, refused.data), events: [] };
}

export function kindContext(
  context: DecideContext,
  { id, fence }: { readonly id: string; readonly fence?: string },
): KindContext {
  return {
    id,
    operation: context.command.operation,
    state: context.state,
    time: context.time,
    principal: context.command.principal,
    agent: context.command.agent,
    get(type, id) {
      const row = findEntity(context.state, { type, id });
      return isLive(row) ? row.value : undefined;
    },
    holdsLock: (path) => holdsLock(context, path, { mode: "write", scope: "self", fence }),
  };
}
