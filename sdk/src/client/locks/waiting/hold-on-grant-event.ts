import { clockPoint } from "../handle/held-grant.ts";
import type { HeldGrant, ClockPoint } from "../handle/held-grant.ts";
import type { AcquireRequest } from "./lock-options.ts";
import type { LockSession } from "../session/session.ts";
import type { PushedGrant } from "./ticket.ts";

/**
 * Holds a lock at the event of its grant, without another request. The grant is durable and exclusive when the event
 * arrives.
 *
 * The event does not say when it was granted in terms of this host's clock. But the grant is later than the request of
 * its ticket, so a lease counted from there is too short, never too long. Until the first heartbeat it counts for no
 * more than the time to accept.
 *
 * If half of it or more would already be gone, the client asks the server to renew it first and counts from there.
 */
export function holdOnGrantEvent(session: LockSession, request: AcquireRequest, askedAt: ClockPoint) {
  return (pushed: PushedGrant): HeldGrant | undefined => {
    const { ticket, fence, ownerId, paths, ttlMs, acceptMs, acquiredAt } = pushed;
    const now = clockPoint(session.clock);
    const holdMaxMs = request.maxHoldMs ?? Infinity;
    // By the clock that shows more time: one of them may have stopped or been set.
    const elapsedMs = Math.max(now.monotonicMs - askedAt.monotonicMs, now.wallMs - askedAt.wallMs);
    if (elapsedMs > Math.min(ttlMs, acceptMs, holdMaxMs) / 2) return undefined;
    return session.hold(
      { fence, paths, ownerId, ttlMs, acquiredAt },
      {
        sentAt: askedAt,
        uncertainMaxMs: request.uncertainMaxMs,
        endsAtMs: askedAt.monotonicMs + holdMaxMs,
        acceptance: { ticket, acceptMs, learnedAtMs: now.monotonicMs },
      },
    );
  };
}
