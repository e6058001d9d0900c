import type { Granted, LeftBefore } from "../../operation-output.ts";
import type { ClientClock } from "../../client-clock.ts";
import { LockLostError } from "./lock-errors.ts";
import type { LossReason } from "./lock-errors.ts";
import type { LeaseWarning, LockedPath, LockState, ReleaseRequest } from "./lock.ts";
import { notify } from "../notify.ts";

/** A point in time by both clocks. */
export interface ClockPoint {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export const clockPoint = (clock: ClientClock): ClockPoint => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: clock.wallMs(),
});

const later = ({ monotonicMs, wallMs }: ClockPoint, ms: number): ClockPoint => ({
  monotonicMs: monotonicMs + ms,
  wallMs: wallMs + ms,
});

const earlier = (a: ClockPoint, b: ClockPoint): ClockPoint => ({
  monotonicMs: Math.min(a.monotonicMs, b.monotonicMs),
  wallMs: Math.min(a.wallMs, b.wallMs),
});

/** A granted ticket that its owner must accept in time, or the lock goes to the next waiter. */
export interface PendingAcceptance {
  readonly ticket: string;
  /** Time to accept. Until then the client relies on no more of the lease than this. */
  readonly acceptMs: number;
  /**
   * Time at which the client learned of the grant. An earlier heartbeat may precede the grant, so it does not accept
   * it.
   */
  readonly learnedAtMs: number;
}

/** The data of a grant that a client needs to hold it. How the previous lock ended is in a reply, not in an event. */
export type HeldTerms = Pick<Granted, "fence" | "ownerId" | "ttlMs" | "acquiredAt"> &
  Partial<Pick<Granted, "leftBefore" | "alreadyHeld" | "ticket">> & {
    readonly paths: readonly LockedPath[];
  };

export interface GrantEvents {
  readonly clock: ClientClock;
  /** Time before the request that granted or renewed the lease was sent. The server's lease starts later. */
  readonly sentAt: ClockPoint;
  /** The hold ends at this time even if it is renewed. */
  readonly endsAtMs: number;
  readonly uncertainMaxMs: number;
  readonly acceptance?: PendingAcceptance | undefined;
  /** Applies renewals that were answered and not yet processed. */
  readonly applyBeats: () => void;
  /** The lease may have ended: ask the server. */
  readonly confirm: (grant: HeldGrant) => void;
  /** The first listener for warnings arrived, or the last one left. */
  readonly onListeners: () => void;
  /** The hold has ended. With `isGuess` the client gave up by itself, and the server may still consider it held. */
  readonly onOver: (grant: HeldGrant, isGuess: boolean) => void;
}

/** Remaining lease at which the client asks the server directly: a sixth of it, at most two seconds. */
const guardOf = (ttlMs: number): number => Math.min(ttlMs / 6, 2_000);

/**
 * A grant as its holder knows it. It never relies on more than the server has promised:
 * - the lease counts from before the request, by a monotonic clock;
 * - a renewal counts only if its reply arrived before the end of the lease;
 * - the monotonic clock may have stopped while the host slept, so the wall clock is checked too.
 */
export class HeldGrant {
  fence: string;
  paths: readonly LockedPath[];
  ttlMs: number;
  readonly ownerId: string;
  /** The ticket that became this grant, if an event reported it. The client asks for further data by it. */
  readonly ticket: string | undefined;
  leftBefore: readonly LeftBefore[] | undefined;
  /** Server time of the grant. It stays when the fence changes. */
  readonly acquiredAt: string;
  readonly #events: GrantEvents;
  readonly #controller = new AbortController();
  readonly #stateListeners = new Set<(state: LockState) => void>();
  readonly #warningListeners = new Set<(warning: LeaseWarning) => void>();
  readonly #requestListeners = new Set<(request: ReleaseRequest) => void>();
  #releaseRequest: ReleaseRequest | undefined;
  /** Number of handles that share the grant. The last release frees it. */
  handleCount = 0;
  #state: "held" | "uncertain" | "lost" | "over" = "held";
  #renewedAt: ClockPoint;
  /** End of the maximum hold. */
  #endsAt: ClockPoint;
  /** Send times of renewals in flight that ask for another lease, and the end of the last such renewal. */
  readonly #leaseRequests = new Set<ClockPoint>();
  #leaseRequestEndedMs = -Infinity;
  #acceptance: PendingAcceptance | undefined;
  #uncertainSinceMs = Infinity;
  #cancelTimer: () => void = () => undefined;

  constructor(granted: HeldTerms, events: GrantEvents) {
    this.fence = granted.fence;
    this.paths = granted.paths;
    this.ttlMs = granted.ttlMs;
    this.ownerId = granted.ownerId;
    this.leftBefore = granted.leftBefore;
    this.acquiredAt = granted.acquiredAt;
    this.#events = events;
    this.#renewedAt = events.sentAt;
    this.#endsAt = later(events.sentAt, events.endsAtMs - events.sentAt.monotonicMs);
    this.#acceptance = events.acceptance;
    this.ticket = events.acceptance?.ticket;
    this.#schedule();
  }

  /** Computed on each read: a timer may be late. */
  get state(): "held" | "uncertain" | "lost" | "over" {
    this.check();
    return this.#state;
  }

  get isCertain(): boolean {
    return this.state === "held";
  }

  /** Lost or released, as far as it is known, without reading a clock. */
  get isOver(): boolean {
    return this.#state === "lost" || this.#state === "over";
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get lost(): LockLostError | undefined {
    return this.#controller.signal.reason as LockLostError | undefined;
  }

  /** The part of the lease that is certain between two heartbeats. */
  get leaseMs(): number {
    return this.#acceptance === undefined ? this.ttlMs : Math.min(this.ttlMs, this.#acceptance.acceptMs);
  }

  /** Until this time no other owner can hold the lock. */
  get deadlineMs(): number {
    return Math.min(this.#renewedAt.monotonicMs + this.leaseMs, this.#endsAt.monotonicMs);
  }

  /** The same by the wall clock. */
  get #wallDeadlineMs(): number {
    return Math.min(this.#renewedAt.wallMs + this.leaseMs, this.#endsAt.wallMs);
  }

  get pathNames(): readonly string[] {
    return this.paths.map(({ path }) => path);
  }

  /**
   * The server has certainly renewed this grant: the reply names it, or it arrived before the lease could end. A
   * renewal by name also has the length of the lease.
   */
  renew(sentAt: ClockPoint, ttlMs = this.ttlMs): void {
    if (this.isOver) return;
    // A concurrent request may have shortened it since. Then the shorter lease counts.
    const isLast =
      sentAt.monotonicMs >= this.#leaseRequestEndedMs &&
      [...this.#leaseRequests].every((request) => request === sentAt);
    this.ttlMs = isLast ? ttlMs : Math.min(this.ttlMs, ttlMs);
    if (sentAt.monotonicMs >= this.#renewedAt.monotonicMs) this.#countLeaseFrom(sentAt);
    this.#schedule();
  }

  /**
   * Called before a request for a lease of another length. Until its reply only the shorter of both leases counts,
   * since the reply may be lost. Returns the function to call when it is answered or given up.
   */
  leaseRequested(ttlMs: number, sentAt: ClockPoint): () => void {
    const previousMs = this.leaseMs;
    this.#leaseRequests.add(sentAt);
    this.ttlMs = Math.min(this.ttlMs, ttlMs);
    // The lease ends as before, but at the latest this long after now.
    this.#renewedAt = earlier(sentAt, later(this.#renewedAt, previousMs - this.leaseMs));
    this.#schedule();
    return () => {
      this.#leaseRequests.delete(sentAt);
      this.#leaseRequestEndedMs = this.#events.clock.monotonicMs();
    };
  }

  /** The grant is certainly accepted: the whole lease counts from its start. */
  accepted(): void {
    this.#acceptance = undefined;
    this.#schedule();
  }

  /**
   * A heartbeat renews what is held when the server receives it. Only within the lease is it certain that this grant
   * was.
   */
  renewByBeat(sentAt: ClockPoint, answeredAt: ClockPoint): void {
    const isAfterGrant = sentAt.monotonicMs >= this.#events.sentAt.monotonicMs;
    const isAwake = answeredAt.wallMs < this.#wallDeadlineMs;
    if (isAfterGrant && isAwake && answeredAt.monotonicMs < this.deadlineMs) this.renew(sentAt);
  }

  /** The same grant under a new fence. */
  change(fence: string, paths: readonly LockedPath[]): void {
    this.fence = fence;
    this.paths = paths;
  }

  lose(why: LossReason, data: Readonly<Record<string, unknown>> = {}, isGuess = false): void {
    if (this.isOver) return;
    this.#cancelTimer();
    // The state first: a listener of the signal may read it.
    this.#state = "lost";
    this.#events.onOver(this, isGuess);
    this.#controller.abort(new LockLostError(why, { fence: this.fence, paths: this.pathNames }, data));
    this.#notifyState("lost");
  }

  /** Released: stops all timers. */
  end(): void {
    if (this.isOver) return;
    this.#cancelTimer();
    this.#state = "over";
    this.#events.onOver(this, false);
    this.#notifyState("released");
  }

  requestRelease(request: ReleaseRequest): void {
    this.#releaseRequest = request;
    notify(this.#requestListeners, request, this.#events.clock);
  }

  onReleaseRequested(listener: (request: ReleaseRequest) => void): () => void {
    this.#requestListeners.add(listener);
    if (this.#releaseRequest !== undefined) listener(this.#releaseRequest);
    return () => this.#requestListeners.delete(listener);
  }

  get wantsWarning(): boolean {
    return this.#warningListeners.size > 0;
  }

  /** The server reports that the lease is about to expire without a renewal. */
  warn(leftMs: number): void {
    const { clock } = this.#events;
    notify(this.#warningListeners, { leftMs, endsAt: new Date(clock.wallMs() + leftMs) }, clock);
  }

  onWarning(listener: (warning: LeaseWarning) => void): () => void {
    this.#warningListeners.add(listener);
    this.#events.onListeners();
    return () => {
      this.#warningListeners.delete(listener);
      this.#events.onListeners();
    };
  }

  onState(listener: (state: LockState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  /**
   * Compares the lease with the clocks. Shortly before its end the client asks the server, and the state is uncertain.
   */
  check(): void {
    if (this.#state === "held" && this.#isDoubtful()) this.#events.applyBeats();
    if (this.isOver) return;
    const nowMs = this.#events.clock.monotonicMs();
    if (this.#isLastLease() && nowMs >= this.deadlineMs) {
      this.lose("expired", { why: "max_hold" }, true);
      return;
    }
    if (this.#state === "held" && this.#isDoubtful()) {
      this.#uncertainSinceMs = nowMs;
      this.#become("uncertain");
      this.#schedule();
      this.#events.confirm(this);
    }
    if (this.#state === "uncertain" && nowMs >= this.#lostAtMs()) this.lose("server-unreachable", {}, true);
  }

  #isDoubtful(): boolean {
    const now = clockPoint(this.#events.clock);
    const guardMs = this.#guardMs();
    return now.wallMs >= this.#wallDeadlineMs - guardMs || now.monotonicMs >= this.deadlineMs - guardMs;
  }

  /** A grant that cannot be renewed is held to its end. Only a stopped clock makes it uncertain before. */
  #guardMs(): number {
    return this.#isLastLease() ? 0 : guardOf(this.leaseMs);
  }

  /** Renewing does not help: the maximum hold ends before the lease. */
  #isLastLease(): boolean {
    return this.#endsAt.monotonicMs <= this.#renewedAt.monotonicMs + this.leaseMs;
  }

  #countLeaseFrom(sentAt: ClockPoint): void {
    this.#renewedAt = sentAt;
    if (this.#acceptance !== undefined && sentAt.monotonicMs >= this.#acceptance.learnedAtMs)
      this.#acceptance = undefined;
    // Still held long after the maximum hold by the wall clock: the wall clock was set.
    if (sentAt.wallMs >= this.#endsAt.wallMs + guardOf(this.leaseMs))
      this.#endsAt = later(sentAt, this.#endsAt.monotonicMs - sentAt.monotonicMs);
    if (this.#isDoubtful()) return;
    this.#uncertainSinceMs = Infinity;
    this.#become("held");
  }

  /** If the loop was blocked past the deadline it is too late for a renewal, but its reply is still awaited. */
  #lostAtMs(): number {
    if (this.#isLastLease()) return this.deadlineMs;
    return Math.max(this.deadlineMs, this.#uncertainSinceMs + guardOf(this.leaseMs)) + this.#events.uncertainMaxMs;
  }

  #become(state: "held" | "uncertain"): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#notifyState(state);
  }

  #notifyState(state: LockState): void {
    notify(this.#stateListeners, state, this.#events.clock);
  }

  #schedule(): void {
    this.#cancelTimer();
    if (this.isOver) return;
    const { clock } = this.#events;
    const isCertain = this.#state === "held";
    const beforeDoubtMs = this.deadlineMs - this.#guardMs();
    const delayMs = Math.max(0, (isCertain ? beforeDoubtMs : this.#lostAtMs()) - clock.monotonicMs());
    if (delayMs === Infinity) return;
    const checkAgain = (): void => {
      this.check();
      this.#schedule();
    };
    this.#cancelTimer = clock.after(delayMs, checkAgain, { keepAlive: false });
  }
}
