/** The times of a ticket, for callers that need more or less of them than the defaults. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { lockLimits } from "./settings.ts";

export interface TicketTimes {
  /** The lease of the ticket. */
  readonly leaseMs: number;
  /** Time to accept the grant of the ticket. Absent if it needs no acceptance: an upgrade or a notify-only ticket. */
  readonly acceptMs?: number | undefined;
}

/** The times that a request asks for, or their defaults. */
export function ticketTimes(input: { readonly ticket_seconds?: number; readonly accept_seconds?: number }): {
  readonly [Name in keyof TicketTimes]-?: number;
} {
  const { ticket_seconds: ticket = lockLimits.ticketMs / 1000, accept_seconds: accept = lockLimits.acceptMs / 1000 } =
    input;
  return { leaseMs: ticket * 1000, acceptMs: accept * 1000 };
}

/** The times in force as replies show them. A grant without a ticket has none. */
export function timesView({ leaseMs, acceptMs }: Partial<TicketTimes>): JsonObject {
  return defined({
    ticket_seconds: leaseMs === undefined ? undefined : leaseMs / 1000,
    accept_seconds: acceptMs === undefined ? undefined : acceptMs / 1000,
  });
}
