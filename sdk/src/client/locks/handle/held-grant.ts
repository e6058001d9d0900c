import type { Granted, LeftBefore } from "../../../contract/locks.ts";
import type { ClientClock } from "../../client-clock.ts";
import { LockLostError } from "./lock-errors.ts";
import type { LossReason } from "./lock-errors.ts";
import type { LeaseWarning, LockedPath, LockState, ReleaseRequest } from "./lock.ts";
import { tell } from "../notify.ts";

/** A moment by both clocks. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export const momentOf = (clock: ClientClock): Moment => ({ monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() });

const later = ({ monotonicMs, wallMs }: Moment, ms: number): Moment => ({
  monotonicMs: monotonicMs + ms,
  wallMs: wallMs + ms,
});

const earlier = (one: Moment, other: Moment): Moment => ({
  monotonicMs: Math.min(one.monotonicMs, other.monotonicMs),
  wallMs: Math.min(one.wallMs, other.wallMs),
});

/** A granted ticket that its owner must accept in time, or the lock goes to the next waiter. */
export interface PendingAcceptance {
  readonly ticket: string;
  /** Time to accept. Until then the client relies on no more of the lease than this. */
  readonly acceptMs: number;
  /** When the client learned of it. A heartbeat sent before may have come before the grant, and is no sign of life for it. */
  readonly heardAtMs: number;
}

/** What a client must know of a grant to hold it. How the lock was left is told by an answer, not by an event. */
export type HeldTerms = Pick<Granted, "fence" | "owner_id" | "ttl_seconds" | "acquired_at"> &
  Partial<Pick<Granted, "left_before" | "already_held" | "ticket">> & {
    readonly paths: readonly LockedPath[];
  };

export interface HeldFacts {
  readonly clock: ClientClock;
  /** Before the request that gave or renewed the lease was sent: the server counts from later than that. */
  readonly sentAt: Moment;
  /** The hold ends then, renewed or not. */
  readonly endsAtMs: number;
  readonly patienceMs: number;
  readonly acceptance?: PendingAcceptance;
  /** Takes in renewals that were answered and not looked at yet. */
  readonly hear: () => void;
  /** The lease may be over: the server should say. */
  readonly confirm: (grant: HeldGrant) => void;
  /** Somebody wants to be warned, or nobody any more. */
  readonly onListeners: () => void;
  /** Held no more. With `isGuess` the client gave up by itself, and the server may still take it for held. */
  readonly onOver: (grant: HeldGrant, isGuess: boolean) => void;
}

/** What remains of a lease at which the server is asked directly: a sixth of it, two seconds at most. */
const guardOf = (ttlMs: number): number => Math.min(ttlMs / 6, 2_000);

/**
 * A grant as its holder knows it. It never counts on more than the server has promised: the lease is counted from before
 * it was asked for, by a clock that no one sets, and a renewal counts only if it was answered before the end of the
 * lease. If a computer slept, that clock may have stood still; so the other one is looked at too.
 */
export class HeldGrant {
  fence: string;
  paths: readonly LockedPath[];
  ttlMs: number;
  readonly ownerId: string;
  /** The ticket that it was granted to while nobody asked for anything: by it one can ask for the rest. */
  readonly ticket: string | undefined;
  leftBefore: readonly LeftBefore[] | undefined;
  /** By the server's clock. A grant keeps it, whatever becomes of its fence. */
  readonly acquiredAt: string;
  readonly #facts: HeldFacts;
  readonly #controller = new AbortController();
  readonly #stateListeners = new Set<(state: LockState) => void>();
  readonly #warningListeners = new Set<(warning: LeaseWarning) => void>();
  readonly #askedListeners = new Set<(request: ReleaseRequest) => void>();
  #asked: ReleaseRequest | undefined;
  /** How many handles share it; the last one to release frees it. */
  handleCount = 0;
  #state: "held" | "uncertain" | "lost" | "over" = "held";
  #renewedAt: Moment;
  /** When the longest hold ends. */
  #endsAt: Moment;
  /** When each renewal was sent that asks for another lease and is under way, and when the last such one came to its end. */
  readonly #askings = new Set<Moment>();
  #askedUntilMs = -Infinity;
  #acceptance: PendingAcceptance | undefined;
  #uncertainSinceMs = Infinity;
  #cancelTimer: () => void = () => undefined;

  constructor(granted: HeldTerms, facts: HeldFacts) {
    this.fence = granted.fence;
    this.paths = granted.paths;
    this.ttlMs = granted.ttl_seconds * 1000;
    this.ownerId = granted.owner_id;
    this.leftBefore = granted.left_before;
    this.acquiredAt = granted.acquired_at;
    this.#facts = facts;
    this.#renewedAt = facts.sentAt;
    this.#endsAt = later(facts.sentAt, facts.endsAtMs - facts.sentAt.monotonicMs);
    this.#acceptance = facts.acceptance;
    this.ticket = facts.acceptance?.ticket;
    this.#schedule();
  }

  /** Looked at anew each time: a timer may be late. */
  get state(): "held" | "uncertain" | "lost" | "over" {
    this.check();
    return this.#state;
  }

  get isCertain(): boolean {
    return this.state === "held";
  }

  /** Lost or given back, as far as is known: nothing is looked at for this. */
  get isOver(): boolean {
    return this.#state === "lost" || this.#state === "over";
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get lost(): LockLostError | undefined {
    return this.#controller.signal.reason as LockLostError | undefined;
  }

  /** What of the lease can be counted on from one sign of life to the next. */
  get leaseMs(): number {
    return this.#acceptance === undefined ? this.ttlMs : Math.min(this.ttlMs, this.#acceptance.acceptMs);
  }

  /** Until then nobody else can have it. */
  get deadlineMs(): number {
    return Math.min(this.#renewedAt.monotonicMs + this.leaseMs, this.#endsAt.monotonicMs);
  }

  /** The same by the other clock. */
  get #wallDeadlineMs(): number {
    return Math.min(this.#renewedAt.wallMs + this.leaseMs, this.#endsAt.wallMs);
  }

  get pathNames(): readonly string[] {
    return this.paths.map(({ path }) => path);
  }

  /**
   * The server has renewed it for certain: this very grant was named, or the answer came before the lease could end. A
   * renewal by name also tells how long the lease is.
   */
  renew(sentAt: Moment, ttlMs = this.ttlMs): void {
    if (this.isOver) return;
    // Another question, under way at the same time, may have made it shorter since: then the shorter one counts.
    const isLast = sentAt.monotonicMs >= this.#askedUntilMs && [...this.#askings].every((other) => other === sentAt);
    this.ttlMs = isLast ? ttlMs : Math.min(this.ttlMs, ttlMs);
    if (sentAt.monotonicMs >= this.#renewedAt.monotonicMs) this.#countFrom(sentAt);
    this.#schedule();
  }

  /**
   * A lease of another length is about to be asked for. From now on no more counts than both allow: the answer may get
   * lost, and then nobody tells which one it is. Returns what to call when it was answered, or is given up.
   */
  asking(ttlMs: number, sentAt: Moment): () => void {
    const beforeMs = this.leaseMs;
    this.#askings.add(sentAt);
    this.ttlMs = Math.min(this.ttlMs, ttlMs);
    // The lease ends as before, but at the latest so long after this.
    this.#renewedAt = earlier(sentAt, later(this.#renewedAt, beforeMs - this.leaseMs));
    this.#schedule();
    return () => {
      this.#askings.delete(sentAt);
      this.#askedUntilMs = this.#facts.clock.monotonicMs();
    };
  }

  /** Accepted for certain: the whole lease counts, from its start. */
  accepted(): void {
    this.#acceptance = undefined;
    this.#schedule();
  }

  /** A beat renews what is held when the server hears it; whether this was, is certain only within the lease. */
  renewByBeat(sentAt: Moment, answeredAt: Moment): void {
    const isSince = sentAt.monotonicMs >= this.#facts.sentAt.monotonicMs;
    const isAwake = answeredAt.wallMs < this.#wallDeadlineMs;
    if (isSince && isAwake && answeredAt.monotonicMs < this.deadlineMs) this.renew(sentAt);
  }

  /** The same grant under a new fence. */
  change(fence: string, paths: readonly LockedPath[]): void {
    this.fence = fence;
    this.paths = paths;
  }

  lose(why: LossReason, data: Readonly<Record<string, unknown>> = {}, isGuess = false): void {
    if (this.isOver) return;
    this.#cancelTimer();
    // The state first: whoever is told by the signal may look at it.
    this.#state = "lost";
    this.#facts.onOver(this, isGuess);
    this.#controller.abort(new LockLostError(why, { fence: this.fence, paths: this.pathNames }, data));
    this.#tell("lost");
  }

  /** Given back: nothing is watched any more. */
  end(): void {
    if (this.isOver) return;
    this.#cancelTimer();
    this.#state = "over";
    this.#facts.onOver(this, false);
    this.#tell("released");
  }

  ask(request: ReleaseRequest): void {
    this.#asked = request;
    tell(this.#askedListeners, request, this.#facts.clock);
  }

  onAsked(listener: (request: ReleaseRequest) => void): () => void {
    this.#askedListeners.add(listener);
    if (this.#asked !== undefined) listener(this.#asked);
    return () => this.#askedListeners.delete(listener);
  }

  get wantsWarning(): boolean {
    return this.#warningListeners.size > 0;
  }

  /** The server says that the lease nears its end, and that it has heard of no renewal. */
  warn(leftMs: number): void {
    const { clock } = this.#facts;
    tell(this.#warningListeners, { leftMs, endsAt: new Date(clock.wallMs() + leftMs) }, clock);
  }

  onWarning(listener: (warning: LeaseWarning) => void): () => void {
    this.#warningListeners.add(listener);
    this.#facts.onListeners();
    return () => {
      this.#warningListeners.delete(listener);
      this.#facts.onListeners();
    };
  }

  onState(listener: (state: LockState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  /** Compares with the clocks. From shortly before the end of the lease on the server is asked, and nothing is certain. */
  check(): void {
    if (this.#state === "held" && this.#isDoubtful()) this.#facts.hear();
    if (this.isOver) return;
    const nowMs = this.#facts.clock.monotonicMs();
    if (this.#isLastLease() && nowMs >= this.deadlineMs) {
      this.lose("expired", { why: "max_hold" }, true);
      return;
    }
    if (this.#state === "held" && this.#isDoubtful()) {
      this.#uncertainSinceMs = nowMs;
      this.#become("uncertain");
      this.#schedule();
      this.#facts.confirm(this);
    }
    if (this.#state === "uncertain" && nowMs >= this.#lostAtMs()) this.lose("server-unreachable", {}, true);
  }

  #isDoubtful(): boolean {
    const now = momentOf(this.#facts.clock);
    const guardMs = this.#guardMs();
    return now.wallMs >= this.#wallDeadlineMs - guardMs || now.monotonicMs >= this.deadlineMs - guardMs;
  }

  /** What nobody can renew is held to its end, and only a clock that stood still makes it doubtful before. */
  #guardMs(): number {
    return this.#isLastLease() ? 0 : guardOf(this.leaseMs);
  }

  /** Renewing does not help any more: the longest hold ends before the lease. */
  #isLastLease(): boolean {
    return this.#endsAt.monotonicMs <= this.#renewedAt.monotonicMs + this.leaseMs;
  }

  #countFrom(sentAt: Moment): void {
    this.#renewedAt = sentAt;
    if (this.#acceptance !== undefined && sentAt.monotonicMs >= this.#acceptance.heardAtMs)
      this.#acceptance = undefined;
    // Held, long after the wall clock has seen the end of the longest hold: somebody has set that clock.
    if (sentAt.wallMs >= this.#endsAt.wallMs + guardOf(this.leaseMs))
      this.#endsAt = later(sentAt, this.#endsAt.monotonicMs - sentAt.monotonicMs);
    if (this.#isDoubtful()) return;
    this.#uncertainSinceMs = Infinity;
    this.#become("held");
  }

  /** When the loop was blocked beyond the deadline it is too late to be in time, but the answer is still awaited. */
  #lostAtMs(): number {
    if (this.#isLastLease()) return this.deadlineMs;
    return Math.max(this.deadlineMs, this.#uncertainSinceMs + guardOf(this.leaseMs)) + this.#facts.patienceMs;
  }

  #become(state: "held" | "uncertain"): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#tell(state);
  }

  #tell(state: LockState): void {
    tell(this.#stateListeners, state, this.#facts.clock);
  }

  #schedule(): void {
    this.#cancelTimer();
    if (this.isOver) return;
    const { clock } = this.#facts;
    const isCertain = this.#state === "held";
    const beforeDoubtMs = this.deadlineMs - this.#guardMs();
    const delayMs = Math.max(0, (isCertain ? beforeDoubtMs : this.#lostAtMs()) - clock.monotonicMs());
    if (delayMs === Infinity) return;
    const look = (): void => {
      this.check();
      this.#schedule();
    };
    this.#cancelTimer = clock.after(delayMs, look, { keepAlive: false });
  }
}
