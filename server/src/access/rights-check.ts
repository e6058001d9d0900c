import { defined } from "@holdfast/sdk/base/defined";
import { allOperations, checkOf, isAllowed, packOfOperation, rightOf, rightToKind } from "@holdfast/sdk/contract";
import type { Check, OperationName, Right, Touch, Verb } from "@holdfast/sdk/contract";
import type { CallOptions, CallReply } from "@holdfast/sdk";
import type { Rejection } from "./gate.ts";
import type { Lookups } from "./lookups.ts";
import { isAllowedEverywhere } from "./caller-rights.ts";
import type { CallerRights } from "./caller-rights.ts";

/** The part of a call that rights depend on. */
interface CheckedCall {
  readonly operation: string;
  readonly input: unknown;
  readonly call: CallOptions;
}

interface RightsOptions {
  readonly lookups: Lookups;
  /** The commands of kinds, each with its entity type. */
  readonly kindCommands: ReadonlyMap<string, string>;
}

/** Decides whether the rights of a caller allow a call. The machine still applies its own rules. */
export class RightsCheck {
  readonly #options: RightsOptions;
  readonly #checks = new Map<string, Check>();

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** The refusal of a call; undefined if the caller has the right. */
  refusalOf(rights: CallerRights, request: CheckedCall): Rejection | undefined {
    const { operation, input, call } = request;
    const right = rightOf(operation) ?? this.#kindRight(operation);
    if (right === undefined) return { code: "operation_unknown", data: { operation } };
    const { verbs } = right;
    if (verbs.includes("operate") && call.agent !== undefined)
      return notAllowed(operation, verbs, "the caller is an agent");
    if (isAllowedEverywhere(rights, verbs) && operation !== "end-agent") return undefined;
    if (!rights.allow.some((allowance) => allowance.verbs.some((verb) => verbs.includes(verb)))) {
      return notAllowed(operation, verbs);
    }
    // The paths of an invalid input are unknown, so it is refused here. Otherwise a member that a door sets later could
    // make it valid.
    const issues = this.#issuesOf(operation, input);
    if (issues !== undefined) return { code: "input_invalid", data: { issues } };
    const { instead } = right;
    return this.#touchRefusal(rights, request, { verbs, touch: right.touches(input as never), instead });
  }

  /** The refusal of a grant that was looked up by its ticket. */
  refusalOfGrant(rights: CallerRights, operation: string, { outcome }: CallReply): Rejection | undefined {
    const { fence } = outcome.data as { readonly fence?: string };
    const required = { verbs: ["read", "lock"], touch: { fence }, instead: undefined } as const;
    return this.#foreignOwnerRefusal(rights, { operation, input: {}, call: {} }, required);
  }

  #kindRight(operation: string): Right | undefined {
    const type = this.#options.kindCommands.get(operation);
    return type === undefined ? undefined : rightToKind(type, "write", operation);
  }

  /** The same schema checks the input again before the decision. */
  #issuesOf(operation: string, input: unknown): ReturnType<Check> {
    const known = this.#checks.get(operation);
    if (known !== undefined) return known(input);
    const core = Object.hasOwn(allOperations, operation) ? allOperations[operation as OperationName] : undefined;
    const schema = (core ?? packOfOperation(operation)?.operations[operation])?.input;
    const check = schema === undefined ? checkObject : checkOf(schema);
    this.#checks.set(operation, check);
    return check(input);
  }

  #touchRefusal(rights: CallerRights, request: CheckedCall, required: RequiredRight): Rejection | undefined {
    const { verbs, touch } = required;
    const { operation } = request;
    const isDenied = (path: string): boolean => !isAllowed(rights.allow, verbs, path);
    if (touch.space === true && isDenied("")) {
      const { instead } = required;
      const reason = `it concerns the whole space${instead === undefined ? "" : `; ${instead}`}`;
      return notAllowed(operation, verbs, reason);
    }
    const path = touch.paths?.find(isDenied);
    if (path !== undefined) return notAllowed(operation, verbs, undefined, path);
    return this.#foreignAgentRefusal(rights, request, touch) ?? this.#foreignOwnerRefusal(rights, request, required);
  }

  /** Only the agent itself, its parent or an operator may end a registration. The machine checks the first two. */
  #foreignAgentRefusal(
    rights: CallerRights,
    { operation, call }: CheckedCall,
    { agent }: Touch,
  ): Rejection | undefined {
    if (agent === undefined || call.agent !== undefined || isAllowedEverywhere(rights, ["operate"])) return undefined;
    return notAllowed(operation, ["operate"], "only the agent itself, its parent or an operator may end it");
  }

  /** An owner may use its own locks. Any other caller needs the right to each of their paths. */
  #foreignOwnerRefusal(
    rights: CallerRights,
    { operation, call }: CheckedCall,
    { verbs, touch }: RequiredRight,
  ): Rejection | undefined {
    const { lookups } = this.#options;
    const isOwn = (owner: string): boolean => owner === call.agent || lookups.principalOf(owner) === rights.principal;
    const isDenied = (path: string): boolean => !isAllowed(rights.allow, verbs, path);
    if (touch.owner !== undefined && !isOwn(touch.owner) && isDenied("")) {
      return notAllowed(operation, verbs, "it belongs to another owner");
    }
    for (const owned of this.#owned(touch)) {
      if (isOwn(owned.owner) && !verbs.includes("operate")) continue;
      const path = owned.paths.find(isDenied);
      if (path !== undefined) return notAllowed(operation, verbs, undefined, path);
    }
    if (touch.fence === undefined || lookups.grant(touch.fence) !== undefined || !verbs.includes("operate")) {
      return undefined;
    }
    // The fence may be granted before the decision, on any path. Only its owner may use it that early.
    return { code: "lock_not_held", data: { fence: touch.fence } };
  }

  #owned({ fence, ticket }: Touch) {
    const { lookups } = this.#options;
    const found = [
      fence === undefined ? undefined : lookups.grant(fence),
      ticket === undefined ? undefined : lookups.ticket(ticket),
    ];
    return found.filter((paths) => paths !== undefined);
  }
}

/** Only the kind knows the schema of its command. The check of rights needs no more than an object. */
const checkObject: Check = (input) =>
  typeof input === "object" && input !== null ? undefined : [{ pointer: "", message: "must be an object" }];

interface RequiredRight {
  readonly verbs: readonly Verb[];
  readonly touch: Touch;
  /** The operations to use instead. */
  readonly instead: string | undefined;
}

function notAllowed(operation: string, verbs: readonly Verb[], reason?: string, path?: string): Rejection {
  const needs = verbs.join(" or ");
  return { code: "not_allowed", data: defined({ operation, needs, path, reason }) };
}

/** Refused operator operations of any caller are in the audit trail. */
export function isAudited({ code, data }: Rejection): boolean {
  return code === "not_allowed" && data["needs"] === "operate";
}
