import { defined } from "@holdfast/sdk/base/defined";
import { isAllowed } from "@holdfast/sdk/contract";
import type { Right, Touch, Verb } from "@holdfast/sdk/contract";
import { isObject } from "@holdfast/sdk/json/json";
import type { CallReply } from "@holdfast/sdk";
import type { Call } from "../operations/call.ts";
import type { Rejection } from "./gate.ts";
import type { Lookups, OwnedPaths } from "./lookups.ts";
import { isAllowedEverywhere } from "./caller-rights.ts";
import type { CallerRights } from "./caller-rights.ts";

/** Decides whether the rights of a caller allow a call. The machine still applies its own rules. */
export class RightsCheck {
  readonly #lookups: Lookups;

  constructor(lookups: Lookups) {
    this.#lookups = lookups;
  }

  /** The refusal of a call; undefined if the caller has every right that the operation needs. */
  refusalOf(rights: CallerRights, call: Call): Rejection | undefined {
    for (const right of call.record.rights) {
      const refusal = this.#refusalOf(rights, call, right);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #refusalOf(rights: CallerRights, call: Call, right: Right): Rejection | undefined {
    const { record, input, options } = call;
    const { verbs, instead } = right;
    if (verbs.includes("operate") && options.agent !== undefined)
      return notAllowed(record.name, verbs, "the caller is an agent");
    if (isObject(input) && right.isNeeded?.(input as never) === false) return undefined;
    if (isAllowedEverywhere(rights, verbs) && right.restrictsAgents !== true) return undefined;
    if (!rights.allow.some((allowance) => allowance.verbs.some((verb) => verbs.includes(verb)))) {
      return notAllowed(record.name, verbs);
    }
    // The paths of an invalid input are unknown, so it is refused here. Otherwise a member that a door sets later could
    // make it valid.
    const issues = record.check(input);
    if (issues !== undefined) return { code: "input_invalid", data: { issues } };
    return this.#touchRefusal(rights, call, { verbs, touch: right.touches(input as never), instead });
  }

  /** The refusal of a read that found the grant of a ticket. */
  refusalOfGrant(rights: CallerRights, call: Call, { outcome }: CallReply): Rejection | undefined {
    if (outcome.kind === "refusal" || call.record.kind !== "read") return undefined;
    for (const { verbs, touches } of call.record.rights) {
      const { ticket } = touches(call.input as never);
      const { fence } = outcome.data as { readonly fence?: string };
      if (ticket === undefined || fence === undefined) continue;
      const refusal = this.#foreignOwnerRefusal(rights, call, { verbs, touch: { fence }, instead: undefined });
      if (refusal !== undefined) return { code: "ticket_unknown", data: { ticket } };
    }
    return undefined;
  }

  #touchRefusal(rights: CallerRights, call: Call, required: RequiredRight): Rejection | undefined {
    const { verbs, touch } = required;
    const { name: operation } = call.record;
    const isDenied = (path: string): boolean => !isAllowed(rights.allow, verbs, path);
    if (touch.space === true && isDenied("")) {
      const { instead } = required;
      const reason = `it concerns the whole space${instead === undefined ? "" : `; ${instead}`}`;
      return notAllowed(operation, verbs, reason);
    }
    const path = touch.paths?.find(isDenied);
    if (path !== undefined) return notAllowed(operation, verbs, undefined, path);
    // An id out of reach is answered like one that does not exist.
    const hidden = touch.refs?.find((ref) => this.#lookups.pathsOf(ref).some(isDenied));
    if (hidden !== undefined) return { code: unknownCodes[hidden.kind], data: { id: hidden.id } };
    return this.#foreignAgentRefusal(rights, call, touch) ?? this.#foreignOwnerRefusal(rights, call, required);
  }

  /** Only the agent itself, its parent or an operator may end a registration. The machine checks the first two. */
  #foreignAgentRefusal(rights: CallerRights, { record, options }: Call, { agent }: Touch): Rejection | undefined {
    if (agent === undefined || options.agent !== undefined || isAllowedEverywhere(rights, ["operate"]))
      return undefined;
    return notAllowed(record.name, ["operate"], "only the agent itself, its parent or an operator may end it");
  }

  /**
   * An owner may use its own locks. Any other caller needs the right to each of their paths. Fences and tickets can be
   * counted. So one on a path out of reach is answered with the same code and data as one that does not exist.
   */
  #foreignOwnerRefusal(
    rights: CallerRights,
    { record, input, options }: Call,
    { verbs, touch }: RequiredRight,
  ): Rejection | undefined {
    const lookups = this.#lookups;
    const { fence, ticket, owner } = touch;
    const isOwn = (name: string): boolean => name === options.agent || lookups.principalOf(name) === rights.principal;
    const isDenied = (path: string): boolean => !isAllowed(rights.allow, verbs, path);
    if (owner !== undefined && !isOwn(owner) && isDenied("")) {
      return notAllowed(record.name, verbs, "it belongs to another owner");
    }
    const needsPaths = verbs.includes("operate");
    const isForeign = (owned: OwnedPaths): boolean => (needsPaths || !isOwn(owned.owner)) && owned.paths.some(isDenied);
    // The machine refuses a caller that is not the owner, whether the lock exists or not. Another token of the same
    // principal may claim to be the owner, and a read needs no owner.
    const { owner_id: claimed } = input as { readonly owner_id?: unknown };
    const isReachable = (owned: OwnedPaths): boolean =>
      record.kind === "read" || (claimed === owned.owner && lookups.ownerPrincipal(owned.owner) === rights.principal);
    const isHidden = (owned: OwnedPaths | undefined): boolean =>
      owned !== undefined && isForeign(owned) && isReachable(owned);
    if (ticket !== undefined && isHidden(lookups.ticket(ticket))) return { code: "ticket_unknown", data: { ticket } };
    if (fence === undefined) return undefined;
    const grant = lookups.grant(fence);
    // An unknown fence may be granted before the decision, on any path. Only its owner may use it that early.
    if (needsPaths) return grant === undefined || isForeign(grant) ? notHeld({ fence }) : undefined;
    return isHidden(grant) ? notHeld({ fence, owner_id: claimed }) : undefined;
  }
}

/** The refusal of an id that does not exist, by the kind of the thing. */
const unknownCodes = {
  job: "jobs.unknown",
  publish: "files.publish_unknown",
  schedule: "jobs.schedule_unknown",
} as const;

function notHeld(data: Rejection["data"]): Rejection {
  return { code: "lock_not_held", data };
}

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
