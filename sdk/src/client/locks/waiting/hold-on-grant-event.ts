import { momentOf } from "../handle/held-grant.ts";
import type { HeldGrant, Moment } from "../handle/held-grant.ts";
import type { Wish } from "./lock-options.ts";
import type { LockSession } from "../session/session.ts";
import type { PushedGrant } from "./ticket.ts";

/**
 * The event that grants a ticket tells of something that is durable and exclusive already, so who waited may have it at
 * once, without asking again. Only when it was granted the event can't tell: clocks of two hosts are not compared. But it
 * was later than its ticket was asked for, and a lease counted from there is too short, never too long. Until the first
 * sign of life it is no longer than the time for that.
 *
 * If half of it or more would be gone already, it is not held: the server is asked to renew it, and counting starts there.
 */
export function holdAtPush(session: LockSession, wish: Wish, askedAt: Moment) {
  return (pushed: PushedGrant): HeldGrant | undefined => {
    const { ticket, fence, ownerId, paths, ttlMs, acceptMs, acquiredAt } = pushed;
    const now = momentOf(session.clock);
    const holdMaxMs = (wish.maxHoldSeconds ?? Infinity) * 1000;
    // By the clock that shows more: one of them may have stood still, or have been set.
    const agoMs = Math.max(now.monotonicMs - askedAt.monotonicMs, now.wallMs - askedAt.wallMs);
    if (agoMs > Math.min(ttlMs, acceptMs, holdMaxMs) / 2) return undefined;
    return session.hold(
      { fence, paths, owner_id: ownerId, ttl_seconds: ttlMs / 1000, acquired_at: acquiredAt },
      {
        sentAt: askedAt,
        patienceMs: wish.patienceMs,
        endsAtMs: askedAt.monotonicMs + holdMaxMs,
        acceptance: { ticket, acceptMs, heardAtMs: now.monotonicMs },
      },
    );
  };
}
