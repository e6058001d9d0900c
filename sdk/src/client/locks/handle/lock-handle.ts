import type { Grant, Granted, LeftBefore, Queued } from "../../operation-output.ts";
import { defined } from "../../../base/defined.ts";
import { HoldfastError } from "../../holdfast-error.ts";
import type { LockMode } from "../lock-path.ts";
import { deniedLock } from "./denied-lock.ts";
import { clockPoint } from "./held-grant.ts";
import type { HeldGrant } from "./held-grant.ts";
import { leftBefore } from "./left-before.ts";
import { LockUsageError } from "./lock-errors.ts";
import type { DeniedLock, LeaseWarning, Lock, LockedPath, LockState, QueuePlace, ReleaseRequest } from "./lock.ts";
import { checkLease } from "../waiting/lock-options.ts";
import type { LockOptions } from "../waiting/lock-options.ts";
import { refusalCodeOf, mayWorkLater } from "../closed-error.ts";
import { releaseGrant, releaseLate } from "./release-grant.ts";
import { renewByName } from "../session/renew-by-name.ts";
import type { LockSession } from "../session/session.ts";
import { joinTicket, waitForTicket } from "../waiting/wait-for-ticket.ts";
import { notify } from "../notify.ts";
import type { SentRequest } from "../session/cleanup-queue.ts";
import type { CallOptions } from "../../transport/transport.ts";

/** One use of a grant. Several handles may share it if the client asked for that. */
export class LockHandle implements Lock {
  readonly granted = true;
  readonly #session: LockSession;
  readonly #grant: HeldGrant;
  readonly #onEnd: () => void;
  readonly #stateListeners = new Set<(state: LockState) => void>();
  /** Unsubscribe callbacks. The grant may outlive this handle if it is shared. */
  readonly #stops = new Set<() => void>();
  #isReleased = false;

  constructor(session: LockSession, grant: HeldGrant, options: LockOptions, onEnd: () => void) {
    this.#session = session;
    this.#grant = grant;
    this.#onEnd = onEnd;
    grant.handleCount += 1;
    // The next event may have ended the grant before this handle existed.
    if (grant.signal.aborted) onEnd();
    else {
      grant.signal.addEventListener("abort", onEnd, { once: true });
      this.#stops.add(() => grant.signal.removeEventListener("abort", onEnd));
    }
    if (options.onReleaseRequested !== undefined) this.onReleaseRequested(options.onReleaseRequested);
    if (options.onExpiring !== undefined) this.onExpiring(options.onExpiring);
  }

  get fence(): string {
    return this.#grant.fence;
  }

  get paths(): readonly LockedPath[] {
    return this.#grant.paths;
  }

  get mode(): LockMode {
    return this.#grant.paths[0]?.mode ?? "write";
  }

  get ownerId(): string {
    return this.#grant.ownerId;
  }

  get state(): LockState {
    if (this.#isReleased) return "released";
    const { state } = this.#grant;
    return state === "over" ? "released" : state;
  }

  get expiresAt(): Date {
    const { clock } = this.#session;
    return new Date(clock.wallMs() + this.#grant.deadlineMs - clock.monotonicMs());
  }

  get signal(): AbortSignal {
    return this.#grant.signal;
  }

  get lost(): Error | undefined {
    return this.#grant.lost;
  }

  leftBefore(): Promise<readonly LeftBefore[]> {
    return leftBefore(this.#session, this.#grant);
  }

  async certain(): Promise<void> {
    if (this.#usableGrant().state === "held") return;
    await new Promise<void>((resolve) => {
      const stop = this.onStateChange((state) => {
        if (state === "uncertain") return;
        stop();
        resolve();
      });
    });
    this.#usableGrant();
  }

  async renew({ note, ttlMs }: { readonly note?: string; readonly ttlMs?: number } = {}): Promise<void> {
    const grant = this.#usableGrant();
    checkLease(ttlMs);
    const sentAt = clockPoint(this.#session.clock);
    const more = defined({ note, ttlMs });
    const answered = ttlMs ? this.#session.leaseRequested(grant, ttlMs, sentAt) : () => undefined;
    let isRefused = false;
    try {
      const renewed = (await this.#change("renew-lock", more)) as Grant;
      this.#session.renewed(grant, renewed, sentAt);
    } catch (error) {
      isRefused = !grant.isOver && refusalCodeOf(error) !== undefined && !mayWorkLater(error);
      throw error;
    } finally {
      answered();
      // The lease is unchanged, and longer than what counts since the request.
      if (isRefused) void renewByName(this.#session, grant);
    }
  }

  async upgrade(
    options: {
      readonly signal?: AbortSignal;
      readonly waitMs?: number;
      readonly onPlace?: (place: QueuePlace) => void;
    } = {},
  ): Promise<void> {
    const { signal, waitMs, onPlace } = options;
    signal?.throwIfAborted();
    const { clock } = this.#session;
    const giveUpAtMs = clock.monotonicMs() + (waitMs ?? Infinity);
    // The ticket of an upgrade replaces the ticket by which this grant can be read.
    if (this.#usableGrant().ticket !== undefined) await this.leftBefore();
    const askedAt = clockPoint(clock);
    const request = { operation: "upgrade-lock", key: clock.unique() };
    const answer = await this.#requestUpgrade(request, { wait: waitMs !== 0 });
    if (answer.granted) return this.#changeFence(answer);
    const { paths } = this.#grant;
    const wait = { paths, giveUpAtMs, askedAt, signal, onPlace, request };
    const end = await waitForTicket(this.#session, joinTicket(this.#session, answer, wait), wait, (last) => last);
    if (end.kind === "granted") return this.#changeFence(end.granted);
    this.#usableGrant();
    const data = end.kind === "gave-up" ? end.data : { reason: "the ticket expired" };
    throw new HoldfastError("upgrade-lock", "lock_denied", { data });
  }

  async tryUpgrade(): Promise<true | DeniedLock> {
    try {
      const request = { operation: "upgrade-lock", key: this.#session.clock.unique() };
      await this.#changeFence((await this.#requestUpgrade(request, { wait: false })) as Granted);
      return true;
    } catch (error) {
      if (refusalCodeOf(error) !== "lock_denied") throw error;
      return deniedLock(this.#grant.pathNames, (error as HoldfastError).data);
    }
  }

  async downgrade(mode: LockMode): Promise<void> {
    await this.#changeFence((await this.#change("downgrade-lock", { mode })) as Grant);
  }

  async transfer(to: string): Promise<void> {
    const grant = this.#usableGrant();
    if (grant.handleCount > 1)
      throw new LockUsageError("the lock is shared within this client: release the others first");
    await this.#change("transfer-lock", { to });
    this.#finish();
    grant.end();
  }

  async release({ note }: { readonly note?: string } = {}): Promise<void> {
    if (this.#isReleased) return;
    const grant = this.#grant;
    this.#finish();
    grant.handleCount -= 1;
    if (grant.handleCount === 0) await releaseGrant(this.#session, grant, note);
  }

  onReleaseRequested(listener: (request: ReleaseRequest) => void): () => void {
    return this.#listen(() => this.#grant.onReleaseRequested(listener));
  }

  onExpiring(listener: (warning: LeaseWarning) => void): () => void {
    return this.#listen(() => this.#grant.onWarning(listener));
  }

  onStateChange(listener: (state: LockState) => void): () => void {
    return this.#listen(() => {
      const stop = this.#grant.onState(listener);
      this.#stateListeners.add(listener);
      return () => {
        this.#stateListeners.delete(listener);
        stop();
      };
    });
  }

  /**
   * Never throws: an error of the scope itself must not be hidden. If the server is unreachable, the release is sent
   * later.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release().catch(() => undefined);
  }

  #listen(start: () => () => void): () => void {
    if (this.#isReleased) return () => undefined;
    const stop = start();
    this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }

  /** The listeners of an ended grant were already notified. */
  #finish(): void {
    const listeners = this.#grant.isOver ? [] : [...this.#stateListeners];
    this.#isReleased = true;
    for (const stop of this.#stops) stop();
    this.#stops.clear();
    this.#onEnd();
    notify<LockState>(listeners, "released", this.#session.clock);
  }

  /** The grant, if the handle is still in use. */
  #usableGrant(): HeldGrant {
    const { state } = this;
    if (state === "released") {
      const paths = this.#grant.pathNames.join(", ");
      throw new LockUsageError(`the lock on ${paths} was released: acquire it again, which gives a new fence`);
    }
    if (this.lost !== undefined) throw this.lost;
    return this.#grant;
  }

  async #change(operation: string, more: object, options?: CallOptions): Promise<unknown> {
    const grant = this.#usableGrant();
    const { fence } = grant;
    try {
      return await this.#session.run(operation, { fence, ...more }, options);
    } catch (error) {
      if (refusalCodeOf(error) !== "lock_not_held" || grant.fence !== fence) throw error;
      await this.#session.notHeld(grant);
      throw grant.lost ?? error;
    }
  }

  /** Withdraws the request if its reply is lost. */
  async #requestUpgrade(request: SentRequest, more: { readonly wait: boolean }): Promise<Granted | Queued> {
    try {
      return (await this.#change(request.operation, more, { key: request.key })) as Granted | Queued;
    } catch (error) {
      if (mayWorkLater(error)) void this.#session.cleanups.withdraw(request);
      throw error;
    }
  }

  /**
   * The grant continues under another fence. If it was released by the old fence in the meantime, it is released by the
   * new one too.
   */
  async #changeFence({ fence, paths }: Pick<Grant, "fence" | "paths">): Promise<void> {
    if (this.#grant.fence === fence) return;
    if (!this.#grant.isOver) {
      this.#session.changeFence(this.#grant, fence, paths);
      return;
    }
    await releaseLate(this.#session, { fence, paths });
    this.#usableGrant();
  }
}
