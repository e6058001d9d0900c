import type { Caller } from "../caller.ts";

import { acquireLock } from "./acquire.ts";
import { guarded } from "./await-guard.ts";
import type { DeniedLock, Lock } from "./lock.ts";
import { wishOf } from "./lock-options.ts";
import type { LockOptions } from "./lock-options.ts";
import type { LockPaths } from "./lock-path.ts";
import { requestLock } from "./request.ts";
import type { RequestLock } from "./request.ts";
import type { Introduction } from "./session-agent.ts";
import type { BeatThread } from "./beats.ts";
import { LockSession } from "./session.ts";

/** The sessions of one client: one for its agent, and one for each other owner in whose name it takes locks. */
export class LockSessions {
  readonly #caller: Caller;
  readonly #introduction: Introduction;
  readonly #thread: BeatThread | undefined;
  readonly #sessions = new Map<string | undefined, LockSession>();

  constructor(caller: Caller, introduction: Introduction, thread?: BeatThread) {
    this.#caller = caller;
    this.#introduction = introduction;
    this.#thread = thread;
    caller.onAgentEnded = (agent, data) => {
      const session = this.#sessions.get(undefined);
      if (session?.owner === agent) session.agentEnded(data);
    };
  }

  readonly acquire = (paths: LockPaths, options?: LockOptions): Promise<Lock | DeniedLock> =>
    guarded(this.#acquire(paths, options));

  readonly request = ((paths: LockPaths, ...given: Parameters<typeof requestLock>[1]) =>
    requestLock((options) => this.#acquire(paths, options), given)) as RequestLock;

  /** True if no lock was ever asked for, so that there is nothing to give back. */
  get isUnused(): boolean {
    return this.#sessions.size === 0;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    this.#sessions.clear();
  }

  async #acquire(paths: LockPaths, options?: LockOptions): Promise<Lock | DeniedLock> {
    const wish = wishOf(paths, options);
    return acquireLock(this.#sessionOf(wish.ownerId), wish);
  }

  #sessionOf(ownerId: string | undefined): LockSession {
    const known = this.#sessions.get(ownerId);
    if (known !== undefined) return known;
    const session = new LockSession({
      caller: this.#caller,
      introduction: this.#introduction,
      ...(ownerId === undefined ? {} : { ownerId }),
      ...(this.#thread === undefined ? {} : { thread: this.#thread }),
    });
    this.#sessions.set(ownerId, session);
    return session;
  }
}
