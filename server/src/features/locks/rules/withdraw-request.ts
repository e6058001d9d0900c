import { withdrawalKey } from "@holdfast/sdk/contract";
import type { lockOperations } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Event } from "../../../machine/entry.ts";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import { findAgent } from "../../agents/agent-table.ts";
import type { Decide } from "../../rule-of.ts";
import { breakReleaseDeadlocks } from "../queue/break-release-deadlocks.ts";
import { freeGrant, liveGrant } from "../queue/free-grant.ts";
import { cancelQueuedTicket } from "../queue/grant-next.ts";
import { lockSubject } from "../tables/lock-events.ts";
import { ownerTable, ticketTable } from "../tables/lock-tables.ts";
import type { GrantRow, TicketRow } from "../tables/lock-tables.ts";
import { findRequest, hasRequest, isSharedByMany } from "../tables/requests.ts";
import { liveTicket } from "./accept-lock.ts";
import { isRefused, ownerOf, refused } from "./owner.ts";

/**
 * Undoes a request whose reply its sender does not have. The entry itself is the record by which a late copy of the
 * request is refused. Whether the request has arrived is evidence of the command, because only the journal knows it.
 */
export const withdrawRequest: Decide<(typeof lockOperations)["withdraw-request"]> = (input, context) => {
  const caller = ownerOf(input, context);
  const { evidence } = context.command;
  const taken = isRefused(caller) ? caller : sentByAnother(context, caller.owner, evidence as Arrival | undefined);
  // A refusal must not use up the key: the right caller may withdraw the request later.
  if (taken !== undefined) return { ...taken, freesKey: true };
  const { owner } = caller as { readonly owner: string };
  const request = withdrawalKey(input);
  const found = findRequest(context.state, owner, request);
  const grant = found !== undefined && "grant" in found ? liveGrant(context, found.grant.fence) : undefined;
  if (grant !== undefined) return answer({ found: "granted", released: release(context, grant, request) });
  const ticket = found !== undefined && "ticket" in found ? liveTicket(context, found.ticket.ticket) : undefined;
  if (ticket !== undefined) return answer({ found: "queued", ...cancel(context, ticket, request) });
  return answer({ found: found === undefined && evidence === undefined ? "none" : "ended" });
};

/** The evidence of a request that has arrived. */
interface Arrival {
  readonly owner_id?: string;
}

/** Another owner that has locks, or may have some soon, sent the request. It alone can withdraw it. */
function sentByAnother({ state }: DecideContext, owner: string, arrival: Arrival | undefined): Decision | undefined {
  const { owner_id: sender = owner } = arrival ?? {};
  const isActive = findAgent(state, sender) !== undefined || state.rows(ownerTable).get(sender) !== undefined;
  return sender === owner || !isActive ? undefined : refused("owner_taken", { owner_id: sender });
}

/** The released paths. None if other requests share the grant. */
function release(context: DecideContext, grant: GrantRow, request: string): readonly string[] {
  context.emit(withdrawnEvent(grant, request, { fence: grant.fence }));
  if (isSharedByMany(grant) || isUpgradedByAnother(context, grant, request)) return [];
  const paths = grant.paths.map(({ path }) => path);
  freeGrant(context, grant, { type: "lock.released", more: { why: "withdrawn" } });
  breakReleaseDeadlocks(context, grant.owner, grant.paths);
  return paths;
}

/** The cancelled ticket. None if other requests share it. */
function cancel(context: DecideContext, row: TicketRow, request: string): JsonObject {
  const { ticket } = row;
  context.emit(withdrawnEvent(row, request, { ticket }));
  if (isSharedByMany(row)) return {};
  cancelQueuedTicket(context, ticket, "withdrawn");
  return { cancelled: ticket };
}

/** Another request waits to upgrade the grant. It shares the grant, which the withdrawal leaves to it. */
function isUpgradedByAnother({ state }: DecideContext, { upgrading = "" }: GrantRow, request: string): boolean {
  const ticket = state.rows(ticketTable).get(upgrading);
  return ticket !== undefined && !hasRequest(ticket, request);
}

function withdrawnEvent({ owner, paths }: GrantRow | TicketRow, request: string, of: JsonObject): Event {
  const subject = lockSubject(paths[0]?.path ?? "");
  return { type: "lock.request_withdrawn", subject, data: { owner_id: owner, request, ...of } };
}

function answer(data: JsonObject): Decision {
  return { outcome: done(data), events: [], attachment: {} };
}
