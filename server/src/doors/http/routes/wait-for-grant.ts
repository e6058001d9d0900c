import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { defined } from "@holdfast/sdk/base/defined";
import type { CallReply } from "@holdfast/sdk";
import type { DoorCallOptions } from "../../../operations/door-call-options.ts";
import { emptyInput } from "@holdfast/sdk/json/canonical";
import type { CanonicalObject } from "@holdfast/sdk/json/canonical";
import type { Clock } from "../../../base/clock.ts";
import { callOnce } from "../../../operations/call.ts";
import type { Calls } from "../../../operations/call.ts";
import type { OperationRecord } from "../../../operations/operation-record.ts";
import { recordOf } from "../../../operations/registry.ts";
import type { OperationRegistry } from "../../../operations/registry.ts";
import type { LongResponses } from "../response/long-responses.ts";
import { hasDisconnected, onDisconnect } from "../request/disconnect.ts";
import { httpLimits } from "../limits.ts";

/** The granted seconds of `Prefer: wait=n`; undefined if the header is absent. */
export function preferredWait(request: FastifyRequest): number | undefined {
  const { prefer } = request.headers;
  const text = Array.isArray(prefer) ? prefer.join(",") : prefer;
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?([0-9]{1,9})"?\s*(?:$|[,;])/iu.exec(text ?? "")?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds), httpLimits.waitSecondsMax);
}

export interface LongPoll {
  readonly calls: Calls;
  readonly operations: OperationRegistry;
  readonly record: OperationRecord;
  readonly input: CanonicalObject;
  readonly options: DoorCallOptions;
  readonly seconds: number;
  readonly clock: Clock;
  readonly longResponses: LongResponses;
  /** The response, which closes when the client disconnects. */
  readonly response: ServerResponse;
}

type TicketFields = Readonly<Record<string, unknown>>;

/**
 * Requests a lock and delays the response until it is granted or the time is up. The open request renews the ticket. If
 * the client disconnects, its ticket stays until its lease ends, and its grant is not accepted.
 */
export async function waitForGrant(poll: LongPoll): Promise<CallReply> {
  const { calls, operations, record, options, seconds } = poll;
  const isTicket = isAboutTicket(poll);
  const input = isTicket || poll.input["wait"] !== undefined ? poll.input : { ...poll.input, wait: true };
  const owner = (input["owner_id"] as string | undefined) ?? options.agent;
  // The watch starts before the request: a grant between the two must not be missed.
  const pages = calls.watch(owner === undefined ? { names: grantNames } : { owner });
  onDisconnect(poll.response, () => void pages.return?.());
  try {
    const reply = await callOnce(calls, { record, input, options });
    const ticket = pendingTicket(reply);
    if (ticket === undefined || seconds === 0) return reply;
    await waitForEnd(poll, pages, ticket);
    // Nothing is between this check and the call: a grant accepted for a disconnected client would be held for a whole
    // lease.
    if (hasDisconnected(poll.response)) return reply;
    if (isTicket) return await callOnce(calls, { record, input, options });
    // Accepts the grant, or, if the ticket still waits, renews it a last time and returns its current position.
    const { key: _key, ...unkeyed } = options;
    const accept = recordOf(operations, "accept-lock");
    const accepted = await callOnce(calls, { record: accept, input: acceptInput(ticket, input), options: unkeyed });
    return { ...accepted, replayed: reply.replayed };
  } finally {
    void pages.return?.();
  }
}

const grantNames = ["evt.lock.acquired", "evt.lock.upgraded", "evt.lock.cancelled"];

/** The ticket of a reply while it waits. */
function pendingTicket({ outcome }: CallReply): string | undefined {
  if (outcome.kind === "refusal") return undefined;
  const { ticket, granted, state, still_waiting: isWaiting } = outcome.data as TicketFields;
  const isQueued = granted === false || state === "waiting";
  return isQueued && isWaiting !== false && typeof ticket === "string" ? ticket : undefined;
}

function acceptInput(ticket: string, { owner_id: owner }: CanonicalObject): CanonicalObject {
  return { ...emptyInput, ticket, ...defined({ owner_id: owner }) };
}

type Pages = ReturnType<Calls["watch"]>;

/** Whether the request reads a ticket that exists. Otherwise it requests a lock. */
function isAboutTicket({ record }: LongPoll): boolean {
  return record.kind === "read";
}

/** Ends when the ticket has ended, the time is up, or the client has disconnected. */
async function waitForEnd(poll: LongPoll, pages: Pages, ticket: string): Promise<void> {
  const { calls, operations, options, clock, response } = poll;
  const getTicket = recordOf(operations, "get-ticket");
  const stop = (): void => void pages.return?.();
  const unregister = poll.longResponses.add(stop);
  const cancelTimer = clock.after(poll.seconds * 1000, stop, { keepAlive: false });
  const stopRenewals = keepTicketAlive(poll, ticket);
  const { key: _key, ...unkeyed } = options;
  try {
    while (!hasDisconnected(response)) {
      // A read, so that it makes no entry.
      const seen = await callOnce(calls, { record: getTicket, input: { ...emptyInput, ticket }, options: unkeyed });
      if (pendingTicket(seen) === undefined || (await pages.next()).done === true) return;
    }
  } finally {
    stopRenewals();
    cancelTimer();
    unregister();
  }
}

/** Renews the ticket while the client holds its request open. The lease of a ticket is short. */
function keepTicketAlive(poll: LongPoll, ticket: string): () => void {
  const { calls, operations, input, options, clock, response } = poll;
  if (isAboutTicket(poll)) return () => undefined;
  const accept = recordOf(operations, "accept-lock");
  const leaseSeconds = typeof input["ticket_seconds"] === "number" ? input["ticket_seconds"] : 30;
  const { key: _key, ...unkeyed } = options;
  let cancel: () => void = () => undefined;
  const scheduleRenewal = (): void => {
    cancel = clock.after((leaseSeconds * 1000) / 3, renew, { keepAlive: false });
  };
  const renew = (): void => {
    // Disconnected while a reply is awaited: the renewal would accept a ticket that was granted in the meantime.
    if (hasDisconnected(response)) return;
    // The next read shows a failure.
    const request = { record: accept, input: acceptInput(ticket, input), options: unkeyed };
    void callOnce(calls, request).catch(() => undefined);
    scheduleRenewal();
  };
  scheduleRenewal();
  return () => {
    cancel();
  };
}
