/**
 * Cleans up orphaned server state: requests without a caller and releases without a reply. Heartbeats would keep all of
 * it alive.
 *
 * A request is withdrawn by its key. The server keeps what another request of this client shares, so nothing has to be
 * compared here. A release names a fence, which a later request for the same set gets too. So it is repeated only when no
 * task of this client uses the set.
 */
import type { ClientClock } from "../../client-clock.ts";
import { pause } from "../../../base/pause.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import { mayWorkLater } from "../closed-error.ts";
import type { PathSetMutex } from "./path-set-mutex.ts";

/** A lock request as it was sent. */
export interface SentRequest {
  readonly operation: string;
  readonly key: string;
}

interface OrphanedGrant {
  readonly set: string;
  readonly fence: string;
  readonly note?: string;
  /** Its release was sent, and its arrival is unknown. */
  isInDoubt?: boolean;
}

/** With the retries of a call, or once. */
type Send = "run" | "once";

interface CleanupOwner {
  readonly clock: ClientClock;
  readonly mutex: PathSetMutex;
  readonly isClosed: boolean;
  readonly grants: { has(fence: string): boolean };
  /** Whether a task of this client holds the set, waits for it or requests it. */
  wants(set: string): boolean;
  run(operation: string, input: object): Promise<unknown>;
  once(operation: string, input: object): Promise<unknown>;
}

const delays = { baseMs: 500, capMs: 10_000 };

export class CleanupQueue {
  readonly #owner: CleanupOwner;
  readonly #requests = new Set<SentRequest>();
  readonly #grants = new Map<string, OrphanedGrant>();
  readonly #active = new Set<string>();

  constructor(owner: CleanupOwner) {
    this.#owner = owner;
  }

  get isEmpty(): boolean {
    return this.#requests.size + this.#grants.size === 0;
  }

  /** Withdraws a request until that is answered. Resolves after the first attempt. */
  withdraw(request: SentRequest): Promise<void> {
    this.#requests.add(request);
    const first = this.#withdrawOnce(request);
    void first.then(() => this.#repeat(request));
    return first;
  }

  async #repeat(request: SentRequest): Promise<void> {
    const { clock } = this.#owner;
    const isOpen = (): boolean => this.#requests.has(request) && !this.#owner.isClosed;
    for (let failed = 1; isOpen(); failed += 1) {
      await pause(clock, backoffMs(delays, failed, clock.random()), { keepAlive: false });
      if (isOpen()) await this.#withdrawOnce(request);
    }
  }

  async #withdrawOnce(request: SentRequest): Promise<void> {
    try {
      await this.#owner.once("withdraw-request", request);
    } catch (error) {
      if (mayWorkLater(error)) return;
    }
    this.#requests.delete(request);
  }

  /** Repeats the release of a grant, unless a task uses it. */
  release(grant: OrphanedGrant): void {
    const known = this.#grants.get(grant.fence);
    if (known === undefined) this.#grants.set(grant.fence, grant);
    else known.isInDoubt ||= grant.isInDoubt === true;
    this.run();
  }

  /** A task gave up a set: releases that had to wait for that may run. */
  run(): void {
    for (const { set } of this.#grants.values()) if (!this.#active.has(set)) void this.#work(set);
  }

  /** Whether a release of unknown outcome could free the grant of the next request for the set. */
  isInDoubt(set: string): boolean {
    return this.#inDoubt(set) !== undefined;
  }

  /**
   * Sends such a release again. Once it is answered, the earlier one can free nothing. Throws if it is not answered.
   */
  async endDoubt(set: string): Promise<void> {
    while (this.isInDoubt(set)) {
      await this.#owner.mutex.runExclusive(set, () => this.#release(this.#inDoubt(set), "run"));
    }
  }

  /** The owner has ended, and everything that it had ended with it. */
  forget(): void {
    this.#requests.clear();
    this.#grants.clear();
  }

  /** The session ends. Each clean-up has one attempt, including replies that are just arriving. */
  async close(): Promise<void> {
    const { mutex } = this.#owner;
    await mutex.drained();
    const releases = [...this.#grants.values()].map((grant) =>
      mutex.runExclusive(grant.set, () => this.#release(grant, "once").catch(() => undefined)),
    );
    await Promise.all([...releases, ...[...this.#requests].map((request) => this.#withdrawOnce(request))]);
  }

  async #work(set: string): Promise<void> {
    const { clock, mutex } = this.#owner;
    this.#active.add(set);
    for (let failed = 0; this.#due(set) !== undefined;) {
      try {
        await mutex.runExclusive(set, () => this.#release(this.#due(set), "once"));
        failed = 0;
      } catch {
        failed += 1;
        await pause(clock, backoffMs(delays, failed, clock.random()), { keepAlive: false });
      }
    }
    this.#active.delete(set);
  }

  /** Throws if the release failed for the moment. */
  async #release(grant: OrphanedGrant | undefined, send: Send): Promise<void> {
    if (grant === undefined) return;
    const { fence, note } = grant;
    grant.isInDoubt = true;
    try {
      await this.#owner[send]("release-lock", note === undefined ? { fence } : { fence, note });
    } catch (error) {
      if (mayWorkLater(error)) throw error;
    }
    this.#grants.delete(fence);
  }

  #due(set: string): OrphanedGrant | undefined {
    if (this.#owner.isClosed || this.#owner.wants(set)) return undefined;
    return this.#ofSet(set)[0];
  }

  #inDoubt(set: string): OrphanedGrant | undefined {
    return this.#ofSet(set).find(({ isInDoubt }) => isInDoubt === true);
  }

  /** The orphaned grants of a set. A task that uses one releases it. */
  #ofSet(set: string): readonly OrphanedGrant[] {
    for (const fence of this.#grants.keys()) if (this.#owner.grants.has(fence)) this.#grants.delete(fence);
    return [...this.#grants.values()].filter((grant) => grant.set === set);
  }
}
