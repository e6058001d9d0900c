/**
 * Answers what is out of a caller's reach like what does not exist. Fences can be counted, and every denial shows the id of an
 * agent. A reason would reveal which locks others hold, and how their agents ended.
 */
import { unknownFence } from "@holdfast/sdk/contract";
import type { CallReply } from "@holdfast/sdk";
import type { Call } from "../operations/call.ts";
import type { CallerRights } from "./caller-rights.ts";
import type { Lookups } from "./lookups.ts";
import { maySeePath } from "./redact-paths.ts";

interface CallerReach {
  readonly rights: CallerRights;
  readonly lookups: Lookups;
}

export function redactUnknown(reach: CallerReach, call: Call, reply: CallReply): CallReply {
  const { outcome } = reply;
  if (outcome.kind === "done") {
    const { fence } = call.input as { readonly fence?: unknown };
    if (call.record.isAboutGrant !== true || maySeeGrant(reach, fence)) return reply;
    const { valid } = outcome.data as { readonly valid: boolean };
    return valid ? reply : { ...reply, outcome: { ...outcome, data: { valid, reason: unknownFence } } };
  }
  const { code, data } = outcome;
  if (code === "fence_stale" && !maySeeGrant(reach, data["fence"])) {
    return { ...reply, outcome: { ...outcome, data: { ...data, reason: unknownFence } } };
  }
  if (code !== "agent_unknown" || isOwnAgent(reach, data)) return reply;
  return { ...reply, outcome: { ...outcome, data: { agent_id: data["agent_id"] } } };
}

/** A caller sees a grant of its own agents, and one with a path that it may read or lock. */
function maySeeGrant({ rights, lookups }: CallerReach, fence: unknown): boolean {
  const grant = typeof fence === "string" ? lookups.grant(fence) : undefined;
  if (grant === undefined) return false;
  return lookups.principalOf(grant.owner) === rights.principal || grant.paths.some((path) => maySeePath(rights, path));
}

/** The principal of an ended agent is in its explanation. */
function isOwnAgent({ rights, lookups }: CallerReach, data: Readonly<Record<string, unknown>>): boolean {
  const { agent_id: id, principal } = data;
  if (principal !== undefined) return principal === rights.principal;
  return typeof id === "string" && lookups.principalOf(id) === rights.principal;
}
