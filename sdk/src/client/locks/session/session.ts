/**
 * The locks and tickets of one owner in a client. One watch reports grants and losses, and one heartbeat renews all of
 * them. Without locks nothing runs but an occasional heartbeat.
 */
import type { Granted, OwnerNotice, Queued, TicketStatus } from "../../operation-output.ts";
import type { CallSender } from "../../transport/call-sender.ts";
import type { ClientClock } from "../../client-clock.ts";
import { pause } from "../../../base/pause.ts";
import { HoldfastError } from "../../holdfast-error.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import type { CallOptions, WatchedEvent } from "../../transport/transport.ts";
import { certainLease, heldSet } from "../waiting/requested-lease.ts";
import { HeldGrant } from "../handle/held-grant.ts";
import type { HeldTerms, ClockPoint, PendingAcceptance } from "../handle/held-grant.ts";
import type { Holdings } from "../handle/holdings.ts";
import { CleanupQueue } from "./cleanup-queue.ts";
import { NoticeWatch } from "./notice-watch.ts";
import { OwnLocks } from "./own-locks.ts";
import { OwnerEventWatch } from "./owner-watch.ts";
import { pathSetOf } from "./path-set.ts";
import { closedError, refusalCodeOf } from "../closed-error.ts";
import { confirmLease, renewByName } from "./renew-by-name.ts";
import { sessionAgentOf } from "./session-agent.ts";
import type { AgentIntroduction, SessionAgent } from "./session-agent.ts";
import { SessionHeartbeats } from "../heartbeats/session-heartbeats.ts";
import type { HeartbeatThread } from "../heartbeats/heartbeats.ts";
import { lossIn, applySessionEvent } from "./session-events.ts";
import { PathSetMutex } from "./path-set-mutex.ts";
import { acceptMs, Ticket } from "../waiting/ticket.ts";
import type { TicketOptions } from "../waiting/ticket.ts";
import type { LockedPath } from "../handle/lock.ts";

interface SessionOptions {
  readonly caller: CallSender;
  readonly introduction: AgentIntroduction;
  /** The owner, if it is not the caller's agent. Its leases are renewed one by one. */
  readonly ownerId?: string | undefined;
  readonly thread?: HeartbeatThread | undefined;
}

/** The data of a grant when it arrives. */
interface ArrivedGrant {
  readonly sentAt: ClockPoint;
  readonly uncertainMaxMs: number;
  /** Earliest end of the maximum hold. */
  readonly endsAtMs: number;
  /** Set if an event reported the grant. */
  readonly acceptance?: PendingAcceptance;
}

export class LockSession implements Holdings {
  readonly caller: CallSender;
  readonly clock: ClientClock;
  readonly ownLocks = new OwnLocks(() => this.cleanups.run());
  /** Serialises requests and releases of a set. */
  readonly mutex = new PathSetMutex();
  readonly cleanups = new CleanupQueue(this);
  readonly grants = new Map<string, HeldGrant>();
  readonly tickets = new Map<string, Ticket>();
  readonly #options: SessionOptions;
  readonly #ownKey: string;
  readonly #beats: SessionHeartbeats;
  readonly #notices: NoticeWatch;
  #agent: SessionAgent | undefined;
  #watch: OwnerEventWatch | undefined;
  #started: Promise<void> | undefined;
  #isClosed = false;
  /** Events about requests in flight: they may arrive before the reply. */
  #earlyEvents: WatchedEvent[] = [];
  #requestCount = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.caller = options.caller;
    this.clock = options.caller.clock;
    this.#ownKey = this.clock.unique();
    this.#beats = new SessionHeartbeats(this, options.thread);
    this.#notices = new NoticeWatch({
      ...{ caller: options.caller, clock: this.clock, owner: () => this.owner },
      onNotice: (notice) => this.#takeNotice(notice),
    });
  }

  get ownerId(): string | undefined {
    return this.#options.ownerId;
  }

  get owner(): string {
    return this.ownerId ?? this.#agent?.agent ?? "";
  }

  get agent(): SessionAgent | undefined {
    return this.ownerId === undefined ? this.#agent : undefined;
  }

  get isWatching(): boolean {
    return this.#watch?.isWatching ?? false;
  }

  /** Nothing is held, queued, requested or being released. */
  get isIdle(): boolean {
    const { grants, tickets, cleanups, mutex } = this;
    return grants.size + tickets.size + this.#requestCount === 0 && cleanups.isEmpty && mutex.isIdle;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ready for a request: the owner is known, and its events will arrive. */
  start(): Promise<void> {
    if (this.#isClosed) return Promise.reject(closedError("acquire-lock"));
    this.#started ??= this.#begin().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  async #begin(): Promise<void> {
    const { caller, introduction, ownerId } = this.#options;
    if (ownerId === undefined) this.#agent = await sessionAgentOf(caller, introduction, this.#ownKey);
    const cursor = await this.#cursor();
    // Closed in the meantime: no watch and no heartbeat may start.
    if (this.#isClosed) throw closedError("acquire-lock");
    const { clock } = this;
    const onEvent = (event: WatchedEvent): void => {
      if (!applySessionEvent(this, event) && this.#requestCount > 0) this.#earlyEvents.push(event);
    };
    const onGap = (): void => this.refreshAll();
    const isAwaited = (): boolean => this.tickets.size > 0;
    const { transport } = caller;
    this.#watch = new OwnerEventWatch({ transport, clock, owner: this.owner, onEvent, onGap, isAwaited }, cursor);
    this.#beats.pace();
  }

  async #cursor(): Promise<string> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.caller.transport.cursor();
      } catch (error) {
        if (tried >= 5 || this.#isClosed) throw error;
        await pause(this.clock, backoffMs({ baseMs: 100, capMs: 2_000 }, tried, this.clock.random()));
      }
    }
  }

  run(operation: string, input: object, options?: CallOptions): Promise<unknown> {
    return this.caller.run(operation, this.#withOwner(input), options);
  }

  /** One attempt, without retries. */
  async once(operation: string, input: object, options?: CallOptions): Promise<unknown> {
    const { outcome, position, replayed } = await this.caller.once(operation, this.#withOwner(input), options);
    if (outcome.kind === "done") return outcome.data;
    throw new HoldfastError(operation, outcome.code, { data: outcome.data, position, replayed });
  }

  /** Sends a call whose events may arrive before its reply. Early events are kept for `hold` and `queue`. */
  async sendRequest(operation: string, input: object, options?: CallOptions): Promise<Granted | Queued> {
    this.#requestCount += 1;
    try {
      return certainLease((await this.run(operation, input, options)) as Granted | Queued, input);
    } finally {
      // After the callers that wait for the reply have used it.
      this.clock.soon(() => {
        this.#requestCount -= 1;
        if (this.#requestCount === 0) this.#earlyEvents = [];
      });
    }
  }

  hold(granted: HeldTerms, arrived: ArrivedGrant): HeldGrant {
    const known = this.grants.get(granted.fence) ?? this.#changed(granted);
    if (known !== undefined) {
      // If the mode changed by this, the lease is unchanged.
      if (granted.alreadyHeld === true) this.renewed(known, granted, arrived.sentAt);
      known.leftBefore ??= granted.leftBefore;
      return known;
    }
    const grant = new HeldGrant(
      { ...granted, ttlMs: this.#leaseOf(granted) },
      {
        clock: this.clock,
        acceptance: this.#acceptance(granted),
        ...arrived,
        applyBeats: () => this.#beats.applyBeats(),
        confirm: (held) => void confirmLease(this, held),
        onListeners: () => this.#updateNoticeWatch(),
        onOver: (held, isGuess) => this.#ended(held, isGuess),
      },
    );
    this.grants.set(grant.fence, grant);
    this.#applyEarlyEvents();
    this.#beats.pace();
    return grant;
  }

  /** The grant that became this one by an upgrade: acquired at the same time, with another fence. */
  #changed({ fence, paths, acquiredAt }: HeldTerms): HeldGrant | undefined {
    const known = heldSet(this.grants.values(), paths);
    // A grant acquired at another time is lost, and its event has not arrived yet.
    if (known?.acquiredAt !== acquiredAt) return undefined;
    this.changeFence(known, fence, paths);
    return known;
  }

  /** Only a replayed answer names the ticket: the grant that it became is not accepted yet. */
  #acceptance({ ticket }: HeldTerms): PendingAcceptance | undefined {
    return ticket === undefined ? undefined : { ticket, acceptMs, learnedAtMs: this.clock.monotonicMs() };
  }

  /** The server has renewed this grant. */
  renewed(grant: HeldGrant, answer: Pick<Granted, "ttlMs">, sentAt: ClockPoint): void {
    grant.renew(sentAt, this.#leaseOf(answer));
    this.#beats.pace();
  }

  /** Called before a request for a lease of another length. Returns the function to call when it has ended. */
  leaseRequested(grant: HeldGrant, ttlMs: number, sentAt: ClockPoint): () => void {
    const end = grant.leaseRequested(ttlMs, sentAt);
    this.#beats.pace();
    return end;
  }

  /** The server has accepted this grant for its owner. */
  accepted(grant: HeldGrant, { leftBefore }: Pick<Granted, "leftBefore">): void {
    grant.leftBefore ??= leftBefore;
    grant.accepted();
    this.#beats.pace();
  }

  queue(queued: Queued, options: TicketOptions): Ticket {
    const known = this.tickets.get(queued.ticket);
    const ticket = known ?? new Ticket(queued, pathSetOf(options.paths));
    ticket.join(options);
    this.tickets.set(ticket.id, ticket);
    this.#watch?.keepAlive();
    this.#applyEarlyEvents();
    this.#beats.pace();
    this.#updateNoticeWatch();
    return ticket;
  }

  leave(ticket: Ticket, options: TicketOptions): void {
    if (!ticket.leave(options)) return;
    if (this.tickets.get(ticket.id) === ticket) this.tickets.delete(ticket.id);
    this.#beats.pace();
    this.#updateNoticeWatch();
  }

  changeFence(grant: HeldGrant, fence: string, paths: readonly LockedPath[]): void {
    this.grants.delete(grant.fence);
    grant.change(fence, paths);
    this.grants.set(fence, grant);
    this.cleanups.run();
  }

  /** Whether a task holds exactly this set of paths, waits for it or requests it. */
  wants(set: string): boolean {
    if (this.ownLocks.wants(set)) return true;
    // A part of the set may have been freed since.
    return [...this.grants.values()].some(({ paths }) => pathSetOf(paths) === set);
  }

  /** Reads the state of a ticket: an event may have been missed, and places change without one. */
  async refreshTicket(ticket: Ticket): Promise<void> {
    try {
      const status = (await this.caller.run("get-ticket", { ticket: ticket.id })) as TicketStatus;
      if (status.state === "granted") ticket.end({ kind: "granted", fence: status.fence });
      else ticket.moveTo(status);
    } catch (error) {
      if (refusalCodeOf(error) === "ticket_unknown") ticket.end({ kind: "gone", why: "unknown" });
    }
  }

  refreshAll(): void {
    for (const ticket of this.tickets.values()) void this.refreshTicket(ticket);
    for (const grant of this.grants.values()) grant.check();
    // A missed event may have been a loss, and a heartbeat names no grant.
    void this.#beats.renewEach();
  }

  /** Everything that the agent had ended with it. The next request starts again. */
  agentEnded(data: Readonly<Record<string, unknown>>): void {
    this.#stop();
    if (this.caller.identity?.isOwn === true) this.caller.identity = undefined;
    for (const grant of [...this.grants.values()]) grant.lose("agent-ended", data);
    for (const ticket of this.tickets.values()) ticket.end({ kind: "gone", why: "agent_ended" });
    this.cleanups.forget();
    this.#beats.stop();
  }

  /** Ends the agent with all its locks, if the client registered it. Otherwise releases its locks. */
  async close(): Promise<void> {
    const started = this.#started;
    const endsAgent = (): boolean => this.ownerId === undefined && this.caller.identity?.isOwn === true;
    this.#isClosed = true;
    this.#stop();
    this.#beats.stop();
    for (const grant of [...this.grants.values()]) {
      grant.end();
      this.#orphaned(grant);
    }
    for (const ticket of this.tickets.values()) {
      ticket.end({ kind: "gone", why: "closed" });
      if (!endsAgent()) for (const request of ticket.requests) void this.cleanups.withdraw(request);
    }
    // An agent whose registration is in flight ends too.
    await started?.catch(() => undefined);
    if (endsAgent()) await this.caller.once("end-agent", {});
    else await this.cleanups.close();
  }

  /** Places and expiring leases are watched only for listeners. */
  #updateNoticeWatch(): void {
    const wantsPlace = [...this.tickets.values()].some((ticket) => ticket.wantsPlace);
    this.#notices.want(wantsPlace || [...this.grants.values()].some((grant) => grant.wantsWarning));
  }

  #takeNotice(notice: OwnerNotice): void {
    if (notice.notice === "place") {
      this.tickets.get(notice.ticket)?.moveTo(notice);
      return;
    }
    // Notices of packs are for the program, which reads them with `client.notices`.
    if (notice.notice !== "expiring") return;
    const grant = this.grants.get(notice.fence);
    grant?.warn(notice.leftMs);
    // No renewal has reached the server recently: renew at once instead of waiting for the next heartbeat.
    if (grant !== undefined) void renewByName(this, grant);
  }

  #stop(): void {
    this.#notices.want(false);
    this.#watch?.stop();
    this.#watch = undefined;
    this.#started = undefined;
  }

  #withOwner(input: object): object {
    return this.ownerId === undefined ? input : { ...input, ownerId: this.ownerId };
  }

  /** No lock outlives the registration of its agent. */
  #leaseOf({ ttlMs }: Pick<Granted, "ttlMs">): number {
    return Math.min(ttlMs, this.agent?.limitMs ?? Infinity);
  }

  #applyEarlyEvents(): void {
    const events = this.#earlyEvents;
    this.#earlyEvents = [];
    // An event may lead to the next one: a grant is held, and later events are applied in order.
    for (const event of events) if (!applySessionEvent(this, event)) this.#earlyEvents.push(event);
  }

  #ended(grant: HeldGrant, isGuess: boolean): void {
    if (this.grants.get(grant.fence) === grant) this.grants.delete(grant.fence);
    this.#beats.pace();
    this.#updateNoticeWatch();
    if (isGuess) this.#orphaned(grant);
    else this.cleanups.run();
  }

  #orphaned({ paths, fence }: HeldGrant): void {
    this.cleanups.release({ set: pathSetOf(paths), fence });
  }

  /** The server reports that it has ended. Its history has the reason. */
  async notHeld(grant: HeldGrant): Promise<void> {
    const { fence } = grant;
    const [path = ""] = grant.pathNames;
    const { outcome } = await this.caller.once("list-lock-history", { path, limit: 50 });
    const items = outcome.kind === "done" ? (outcome.data as { readonly items: readonly unknown[] }).items : [];
    const loss = lossIn(items, fence) ?? { why: "expired" as const, data: {} };
    grant.lose(loss.why, loss.data);
  }
}
