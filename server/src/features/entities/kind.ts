import { checkOf, conditions, entityId, ofEntityOfType, operation } from "@holdfast/sdk/contract";
import type { InputCheck, Operation } from "@holdfast/sdk/contract";
import Type from "typebox";
import type { Static, TProperties, TSchema } from "typebox";
import type { Refusal } from "../../machine/entry.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import type { ReadContext } from "../../machine/read-context.ts";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { refusal } from "../../machine/refusal.ts";
import { checkViolation } from "./kind-check.ts";
import type { KindCheck } from "./kind-check.ts";
import { kindContext } from "./kind-context.ts";
import type { KindContext } from "./kind-context.ts";
import type { KindRefusal } from "./kind-refusal.ts";

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
  /** A check outside the machine, after the rule. It may take long, and may run code that is not pure. */
  readonly check?: KindCheck;
  /** True if its rules use locks. Holdfast then refuses to start while the lock manager is switched off. */
  readonly needsLocks?: boolean;
  /**
   * The pack that owns the entities. Only its operations write them, and it checks their locks itself. The general
   * operations on entities are refused with `<pack>.own_operations`.
   */
  readonly ownedBy?: string;
  /** Decides whether a caller may read an entity, or list the type if there is no id. Operators are not asked. */
  readonly readRule?: ReadRule | undefined;
}

type ReadRule = (context: ReadContext, id?: string) => KindRefusal | undefined;

/** A kind as the machine uses it, without its value type. */
export interface Kind {
  readonly type: string;
  readonly codes: string;
  readonly needsLocks: boolean;
  readonly check: InputCheck;
  readonly rule:
    | ((next: Json | undefined, previous: Json | undefined, context: KindContext) => KindRefusal | undefined)
    | undefined;
  readonly commands: readonly KindOperation[];
  readonly ownedBy: string | undefined;
  readonly readRule: ReadRule | undefined;
  readonly outsideCheck: KindCheck | undefined;
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
    outsideCheck: definition.check,
    commands: commands.map(([verb, command]) => kindOperation(definition.type, verb, command)),
    ownedBy: definition.ownedBy,
    readRule: definition.readRule,
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
    readonly isMade?: boolean | undefined;
  },
  context: DecideContext,
): Decision | undefined {
  if (kind === undefined) return undefined;
  const issues = change.value === undefined ? undefined : kind.check(change.value);
  if (issues !== undefined) {
    const data = { type: kind.type, issues: issues.map((issue) => ({ ...issue })) };
    return { outcome: refusal("kind_violated", data), events: [] };
  }
  const refused = kind.rule?.(
    change.value,
    change.previous,
    kindContext(context, { ...change.target, type: kind.type }),
  );
  if (refused !== undefined) return kindRefusal(kind, refused);
  const { type, codes, outsideCheck } = kind;
  if (outsideCheck === undefined) return undefined;
  const { value, isMade = false } = change;
  return checkViolation(outsideCheck, { type, codes, id: change.target.id, value, isMade }, context);
}

export function kindRefusal(kind: Kind, refused: KindRefusal): Decision {
  return { outcome: refusalOfKind(kind, refused), events: [], isAudited: refused.isAudited };
}

export function refusalOfKind({ codes }: Kind, { code, data }: KindRefusal): Refusal {
  return refusal(`${codes}.${code}`, data);
}

/**
 * The refusal of a general write of an entity that a pack owns. That of an agent is audited: it may be an attempt to bypass
 * the rules of the pack.
 */
export function ownedRefusal(kind: Kind | undefined, { command }: DecideContext): Decision | undefined {
  if (kind?.ownedBy === undefined) return undefined;
  const outcome = refusal(`${kind.ownedBy}.own_operations`, { type: kind.type });
  return { outcome, events: [], isAudited: command.agent !== undefined };
}
