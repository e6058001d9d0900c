import { allOperations, checkOf, isAllowed, packOfOperation, rightOf, rightToKind } from "@holdfast/sdk/contract";
import type { Check, OperationName, Right, Touch, Verb } from "@holdfast/sdk/contract";
import type { CallOptions, CallReply } from "@holdfast/sdk";
import type { Turned } from "./gate.ts";
import type { Lookups } from "./lookups.ts";
import { isAllowedEverywhere } from "./standing.ts";
import type { Standing } from "./standing.ts";

/** One call, as far as rights are concerned. */
export interface Wish {
  readonly operation: string;
  readonly input: unknown;
  readonly call: CallOptions;
}

export interface RightsOptions {
  readonly lookups: Lookups;
  /** The commands that kinds of entities bring, each with its type of entity. */
  readonly kindCommands: ReadonlyMap<string, string>;
}

/** Decides whether a standing is enough for a call. What it lets through, the machine still decides by its own rules. */
export class RightsCheck {
  readonly #options: RightsOptions;
  readonly #checks = new Map<string, Check>();

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** Why a call is refused; undefined if the caller has the right to it. */
  refusalOf(standing: Standing, wish: Wish): Turned | undefined {
    const { operation, input, call } = wish;
    const right = rightOf(operation) ?? this.#kindRight(operation);
    if (right === undefined) return { code: "operation_unknown", data: { operation } };
    const { verbs } = right;
    if (verbs.includes("operate") && call.agent !== undefined) return notAllowed(operation, verbs, "an agent asks");
    if (isAllowedEverywhere(standing, verbs) && operation !== "end-agent") return undefined;
    if (!standing.allow.some((one) => one.verbs.some((verb) => verbs.includes(verb)))) {
      return notAllowed(operation, verbs);
    }
    // There is no telling what an input touches that does not fit. It is refused here: doors set members of some inputs
    // further on, and what they set may make it fit.
    const issues = this.#issuesOf(operation, input);
    if (issues !== undefined) return { code: "input_invalid", data: { issues } };
    return this.#untouchable(standing, wish, {
      ...{ verbs, touch: right.touches(input as never) },
      ...(right.instead === undefined ? {} : { instead: right.instead }),
    });
  }

  /** Why a grant that was looked up by its ticket is not shown. */
  refusalOfGrant(standing: Standing, operation: string, { outcome }: CallReply): Turned | undefined {
    const { fence } = outcome.data as { readonly fence?: string };
    const touch = fence === undefined ? {} : { fence };
    return this.#foreignOwner(standing, { operation, input: {}, call: {} }, { verbs: ["read", "lock"], touch });
  }

  #kindRight(operation: string): Right | undefined {
    const type = this.#options.kindCommands.get(operation);
    return type === undefined ? undefined : rightToKind(type, "write", operation);
  }

  /** By the schema that the call is checked by once more where it is decided. */
  #issuesOf(operation: string, input: unknown): ReturnType<Check> {
    const known = this.#checks.get(operation);
    if (known !== undefined) return known(input);
    const own = Object.hasOwn(allOperations, operation) ? allOperations[operation as OperationName] : undefined;
    const schema = (own ?? packOfOperation(operation)?.operations[operation])?.input;
    const check = schema === undefined ? isNoObject : checkOf(schema);
    this.#checks.set(operation, check);
    return check(input);
  }

  #untouchable(standing: Standing, wish: Wish, needed: Needed): Turned | undefined {
    const { verbs, touch } = needed;
    const { operation } = wish;
    const isOut = (path: string): boolean => !isAllowed(standing.allow, verbs, path);
    if (touch.space === true && isOut("")) {
      const { instead } = needed;
      const reason = `it is about everything${instead === undefined ? "" : `; ${instead}`}`;
      return notAllowed(operation, verbs, reason);
    }
    const path = touch.paths?.find(isOut);
    if (path !== undefined) return notAllowed(operation, verbs, undefined, path);
    return this.#foreignAgent(standing, wish, touch) ?? this.#foreignOwner(standing, wish, needed);
  }

  /** Ending a registration is for the agent itself or its parent, which the machine sees to, and for operators. */
  #foreignAgent(standing: Standing, { operation, call }: Wish, { agent }: Touch): Turned | undefined {
    if (agent === undefined || call.agent !== undefined || isAllowedEverywhere(standing, ["operate"])) return undefined;
    return notAllowed(operation, ["operate"], "only the agent itself, its parent or an operator ends it");
  }

  /** What an owner has is its own to use; anybody else needs the right to every path of it. */
  #foreignOwner(standing: Standing, { operation, call }: Wish, { verbs, touch }: Needed): Turned | undefined {
    const { lookups } = this.#options;
    const isOwn = (owner: string): boolean => owner === call.agent || lookups.principalOf(owner) === standing.principal;
    const isOut = (path: string): boolean => !isAllowed(standing.allow, verbs, path);
    if (touch.owner !== undefined && !isOwn(touch.owner) && isOut("")) {
      return notAllowed(operation, verbs, "it is about another owner");
    }
    for (const owned of this.#owned(touch)) {
      if (isOwn(owned.owner) && !verbs.includes("operate")) continue;
      const path = owned.paths.find(isOut);
      if (path !== undefined) return notAllowed(operation, verbs, undefined, path);
    }
    if (touch.fence === undefined || lookups.grant(touch.fence) !== undefined || !verbs.includes("operate")) {
      return undefined;
    }
    // It may be granted before this is decided, on whatever path. Its owner may ask so early, nobody else.
    return { code: "lock_not_held", data: { fence: touch.fence } };
  }

  #owned({ fence, ticket }: Touch) {
    const { lookups } = this.#options;
    const found = [
      fence === undefined ? undefined : lookups.grant(fence),
      ticket === undefined ? undefined : lookups.ticket(ticket),
    ];
    return found.filter((one) => one !== undefined);
  }
}

/** The schema of a kind's own command is known to the kind alone; its rights need no more than an object. */
const isNoObject: Check = (input) =>
  typeof input === "object" && input !== null ? undefined : [{ pointer: "", message: "must be an object" }];

interface Needed {
  readonly verbs: readonly Verb[];
  readonly touch: Touch;
  readonly instead?: string;
}

function notAllowed(operation: string, verbs: readonly Verb[], reason?: string, path?: string): Turned {
  const needs = verbs.join(" or ");
  return {
    code: "not_allowed",
    data: { operation, needs, ...(path === undefined ? {} : { path }), ...(reason === undefined ? {} : { reason }) },
  };
}

/** Attempts at what belongs to operators are in the audit trail, whoever makes them. */
export function isAudited({ code, data }: Turned): boolean {
  return code === "not_allowed" && data["needs"] === "operate";
}
