/**
 * What one owner holds and waits for through a client. One watch tells it of grants and losses, one heartbeat keeps all
 * of it; nothing runs while nothing is held, but for a sign of life now and then.
 */
import type { Granted, Queued } from "../../../contract/locks.ts";
import type { TicketStatus } from "../../../contract/lock-views.ts";
import type { Caller } from "../../caller.ts";
import type { ClientClock } from "../../client-clock.ts";
import { pause } from "../../../base/pause.ts";
import { HoldfastError } from "../../holdfast-error.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import type { Notice } from "../../../contract/notices.ts";
import type { CallOptions, WatchedEvent } from "../../transport.ts";
import { certainLease, heldSet } from "../waiting/asked-lease.ts";
import { HeldGrant } from "../handle/held-grant.ts";
import type { HeldTerms, Moment, PendingAcceptance } from "../handle/held-grant.ts";
import type { Holdings } from "../handle/holdings.ts";
import { Leftovers } from "./cleanup-queue.ts";
import { NoticeWatch } from "./notice-watch.ts";
import { OwnLocks } from "./own-locks.ts";
import { OwnerWatch } from "./owner-watch.ts";
import { setOf } from "./path-set.ts";
import { closedError, codeOf } from "../refusals.ts";
import { confirmLease, renewByName } from "./renew-by-name.ts";
import { speakerOf } from "./session-agent.ts";
import type { Introduction, Speaker } from "./session-agent.ts";
import { SessionBeats } from "../heartbeats/session-heartbeats.ts";
import type { BeatThread } from "../heartbeats/heartbeats.ts";
import { lossIn, takeEvent } from "./session-events.ts";
import { SetTurns } from "./path-set-mutex.ts";
import { acceptMs, Ticket } from "../waiting/ticket.ts";
import type { TicketOptions } from "../waiting/ticket.ts";
import type { LockedPath } from "../handle/lock.ts";

export interface SessionOptions {
  readonly caller: Caller;
  readonly introduction: Introduction;
  /** Whose locks they are, if not those of the caller's agent: its leases are renewed one by one. */
  readonly ownerId?: string;
  readonly thread?: BeatThread;
}

/** What is known when a grant arrives. */
export interface Arrival {
  readonly sentAt: Moment;
  readonly patienceMs: number;
  /** When the longest hold ends, at the earliest. */
  readonly endsAtMs: number;
  /** If an event told of the grant. */
  readonly acceptance?: PendingAcceptance;
}

export class LockSession implements Holdings {
  readonly caller: Caller;
  readonly clock: ClientClock;
  readonly ownLocks = new OwnLocks(() => this.leftovers.look());
  /** Who asks for what, and what is given back meanwhile. */
  readonly turns = new SetTurns();
  readonly leftovers = new Leftovers(this);
  readonly grants = new Map<string, HeldGrant>();
  readonly tickets = new Map<string, Ticket>();
  /** Tickets whose cancelling was sent, and not answered yet. */
  readonly unwanted = new Set<string>();
  readonly #options: SessionOptions;
  readonly #ownKey: string;
  readonly #beats: SessionBeats;
  readonly #notices: NoticeWatch;
  #speaker: Speaker | undefined;
  #watch: OwnerWatch | undefined;
  #started: Promise<void> | undefined;
  #isClosed = false;
  /** Events about what is only just being asked for: they may come before the answer. */
  #early: WatchedEvent[] = [];
  #askedCount = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.caller = options.caller;
    this.clock = options.caller.clock;
    this.#ownKey = this.clock.unique();
    this.#beats = new SessionBeats(this, options.thread);
    this.#notices = new NoticeWatch({
      ...{ transport: options.caller.transport, clock: this.clock, owner: () => this.owner },
      onNotice: (notice) => this.#takeNotice(notice),
    });
  }

  get ownerId(): string | undefined {
    return this.#options.ownerId;
  }

  get owner(): string {
    return this.ownerId ?? this.#speaker?.agent ?? "";
  }

  get speaker(): Speaker | undefined {
    return this.ownerId === undefined ? this.#speaker : undefined;
  }

  get isHeard(): boolean {
    return this.#watch?.isHeard ?? false;
  }

  /** Nothing is held, waited for, asked for or being given back. */
  get isIdle(): boolean {
    const { grants, tickets, leftovers, turns } = this;
    return grants.size + tickets.size + this.#askedCount === 0 && leftovers.isEmpty && turns.isIdle;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ready to ask: the owner is known, and whatever concerns it from now on will be heard. */
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
    if (ownerId === undefined) this.#speaker = await speakerOf(caller, introduction, this.#ownKey);
    const cursor = await this.#cursor();
    // Closed meanwhile: nothing may start to watch or to beat any more.
    if (this.#isClosed) throw closedError("acquire-lock");
    const { clock } = this;
    const onEvent = (event: WatchedEvent): void => {
      if (!takeEvent(this, event) && this.#askedCount > 0) this.#early.push(event);
    };
    const onGap = (): void => this.lookAtAll();
    const isAwaited = (): boolean => this.tickets.size > 0;
    const { transport } = caller;
    this.#watch = new OwnerWatch({ transport, clock, owner: this.owner, onEvent, onGap, isAwaited }, cursor);
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
    return this.caller.run(operation, this.#owned(input), options);
  }

  /** One try, without any again. */
  async once(operation: string, input: object, options?: CallOptions): Promise<unknown> {
    const { outcome, position, replayed } = await this.caller.once(operation, this.#owned(input), options);
    if (outcome.kind === "done") return outcome.data;
    throw new HoldfastError(operation, outcome.code, { data: outcome.data, position, replayed });
  }

  /** Sends a call whose answer may be overtaken by events about it; what comes early is kept for `hold` and `queue`. */
  async ask(operation: string, input: object, options?: CallOptions): Promise<Granted | Queued> {
    this.#askedCount += 1;
    try {
      return certainLease((await this.run(operation, input, options)) as Granted | Queued, input);
    } finally {
      // After those who wait for the answer have taken it up.
      this.clock.soon(() => {
        this.#askedCount -= 1;
        if (this.#askedCount === 0) this.#early = [];
      });
    }
  }

  hold(granted: HeldTerms, arrival: Arrival): HeldGrant {
    const known = this.grants.get(granted.fence) ?? this.#changed(granted);
    if (known !== undefined) {
      // If it got another mode by this, its lease is what it was.
      if (granted.already_held === true) this.renewed(known, granted, arrival.sentAt);
      known.leftBefore ??= granted.left_before;
      return known;
    }
    const grant = new HeldGrant(
      { ...granted, ttl_seconds: this.#leaseOf(granted) / 1000 },
      {
        clock: this.clock,
        ...this.#acceptance(granted),
        ...arrival,
        hear: () => this.#beats.hear(),
        confirm: (held) => void confirmLease(this, held),
        onListeners: () => this.#listen(),
        onOver: (held, isGuess) => this.#over(held, isGuess),
      },
    );
    this.grants.set(grant.fence, grant);
    this.#recall();
    this.#beats.pace();
    return grant;
  }

  /** The grant that has become this one by being asked for in a stronger mode: of the same moment, with another fence. */
  #changed({ fence, paths, acquired_at }: HeldTerms): HeldGrant | undefined {
    const known = heldSet(this.grants.values(), paths);
    // One of another moment is lost, and the client has not heard of it yet.
    if (known?.acquiredAt !== acquired_at) return undefined;
    this.changeFence(known, fence, paths);
    return known;
  }

  /** Only a replayed answer names the ticket: the grant that it became is not accepted yet. */
  #acceptance({ ticket }: HeldTerms): { readonly acceptance?: PendingAcceptance } {
    return ticket === undefined ? {} : { acceptance: { ticket, acceptMs, heardAtMs: this.clock.monotonicMs() } };
  }

  /** The server has renewed this very grant. */
  renewed(grant: HeldGrant, answer: Pick<Granted, "ttl_seconds">, sentAt: Moment): void {
    grant.renew(sentAt, this.#leaseOf(answer));
    this.#beats.pace();
  }

  /** A lease of another length is about to be asked for. Returns what to call when that has come to its end. */
  asking(grant: HeldGrant, ttlSeconds: number, sentAt: Moment): () => void {
    const end = grant.asking(ttlSeconds * 1000, sentAt);
    this.#beats.pace();
    return end;
  }

  /** The server has accepted this grant on behalf of its owner. */
  accepted(grant: HeldGrant, { left_before }: Pick<Granted, "left_before">): void {
    grant.leftBefore ??= left_before;
    grant.accepted();
    this.#beats.pace();
  }

  queue(queued: Queued, options: TicketOptions): Ticket {
    const known = this.tickets.get(queued.ticket);
    const ticket = known ?? new Ticket(queued, setOf(options.paths));
    ticket.join(options);
    this.tickets.set(ticket.id, ticket);
    this.#watch?.keepAlive();
    this.#recall();
    this.#beats.pace();
    this.#listen();
    return ticket;
  }

  leave(ticket: Ticket, options: TicketOptions): void {
    if (!ticket.part(options)) return;
    if (this.tickets.get(ticket.id) === ticket) this.tickets.delete(ticket.id);
    this.unwanted.delete(ticket.id);
    this.#beats.pace();
    this.#listen();
  }

  changeFence(grant: HeldGrant, fence: string, paths: readonly LockedPath[]): void {
    this.grants.delete(grant.fence);
    grant.change(fence, paths);
    this.grants.set(fence, grant);
    this.leftovers.look();
  }

  /** Whether anybody here holds exactly this set of paths, waits for it or asks for it. */
  wants(set: string): boolean {
    if (this.ownLocks.wants(set)) return true;
    // Of a set that was locked a part may have been freed since.
    return [...this.grants.values()].some(({ paths }) => setOf(paths) === set);
  }

  /** Where a ticket is, asked for: an event may have been missed, and places move without one. */
  async lookAt(ticket: Ticket): Promise<void> {
    try {
      const status = (await this.caller.run("get-ticket", { ticket: ticket.id })) as TicketStatus;
      if (status.state === "granted") ticket.end({ kind: "granted", fence: status.fence });
      else ticket.moveTo(status);
    } catch (error) {
      if (codeOf(error) === "ticket_unknown") ticket.end({ kind: "gone", why: "unknown" });
    }
  }

  lookAtAll(): void {
    for (const ticket of this.tickets.values()) void this.lookAt(ticket);
    for (const grant of this.grants.values()) grant.check();
    // An event that was missed may have told of a loss, and a heartbeat, which names no grant, would not.
    void this.#beats.renewEach();
  }

  /** All that the agent had is gone with it. Whoever asks next starts anew. */
  agentEnded(data: Readonly<Record<string, unknown>>): void {
    this.#stop();
    if (this.caller.identity?.isOwn === true) this.caller.identity = undefined;
    for (const grant of [...this.grants.values()]) grant.lose("agent-ended", data);
    for (const ticket of this.tickets.values()) ticket.end({ kind: "gone", why: "agent_ended" });
    this.leftovers.forget();
    this.unwanted.clear();
    this.#beats.stop();
  }

  /** Ends the agent, if the client made it, and with it all that it has; what is another's agent's is given back. */
  async close(): Promise<void> {
    const started = this.#started;
    this.#isClosed = true;
    this.#stop();
    this.#beats.stop();
    for (const grant of [...this.grants.values()]) {
      grant.end();
      this.leftovers.add(setOf(grant.paths), { kind: "grant", fence: grant.fence });
    }
    for (const ticket of this.tickets.values()) {
      ticket.end({ kind: "gone", why: "closed" });
      this.leftovers.add(ticket.set, { kind: "ticket", ticket: ticket.id });
    }
    // Who is only just being registered ends too.
    await started?.catch(() => undefined);
    if (this.ownerId === undefined && this.caller.identity?.isOwn === true) await this.caller.once("end-agent", {});
    else await this.leftovers.close();
  }

  /** Places and ends of leases are told only to who wants to know them. */
  #listen(): void {
    const wantsPlace = [...this.tickets.values()].some((ticket) => ticket.wantsPlace);
    this.#notices.want(wantsPlace || [...this.grants.values()].some((grant) => grant.wantsWarning));
  }

  #takeNotice(notice: Notice): void {
    if (notice.notice === "place") {
      this.tickets.get(notice.ticket)?.moveTo(notice);
      return;
    }
    const grant = this.grants.get(notice.fence);
    grant?.warn(notice.left_ms);
    // No renewal has reached the server for a while: better one now than one more beat that gets lost.
    if (grant !== undefined) void renewByName(this, grant);
  }

  #stop(): void {
    this.#notices.want(false);
    this.#watch?.stop();
    this.#watch = undefined;
    this.#started = undefined;
  }

  #owned(input: object): object {
    return this.ownerId === undefined ? input : { ...input, owner_id: this.ownerId };
  }

  /** No lock outlives the registration of its agent. */
  #leaseOf({ ttl_seconds }: Pick<Granted, "ttl_seconds">): number {
    return Math.min(ttl_seconds * 1000, this.speaker?.limitMs ?? Infinity);
  }

  #recall(): void {
    const early = this.#early;
    this.#early = [];
    // One event may lead to the next look: a grant is held, and what follows it is taken in order.
    for (const event of early) if (!takeEvent(this, event)) this.#early.push(event);
  }

  #over(grant: HeldGrant, isGuess: boolean): void {
    if (this.grants.get(grant.fence) === grant) this.grants.delete(grant.fence);
    this.#beats.pace();
    this.#listen();
    if (isGuess) this.leftovers.add(setOf(grant.paths), { kind: "grant", fence: grant.fence });
    else this.leftovers.look();
  }

  /** The server says that it is over; its history says why. */
  async notHeld(grant: HeldGrant): Promise<void> {
    const { fence } = grant;
    const [path = ""] = grant.pathNames;
    const { outcome } = await this.caller.once("list-lock-history", { path, limit: 50 });
    const items = outcome.kind === "done" ? (outcome.data as { readonly items: readonly unknown[] }).items : [];
    const loss = lossIn(items, fence) ?? { why: "expired" as const, data: {} };
    grant.lose(loss.why, loss.data);
  }
}
