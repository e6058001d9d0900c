import type { CallSender } from "../../transport/call-sender.ts";
import { acquireLock } from "../waiting/acquire.ts";
import { awaitGuarded } from "../handle/await-guarded.ts";
import type { DeniedLock, Lock } from "../handle/lock.ts";
import { parseLockOptions } from "../waiting/lock-options.ts";
import type { AcquireRequest, LockOptions, TryLockOptions } from "../waiting/lock-options.ts";
import type { LockPaths } from "../lock-path.ts";
import { requestLock } from "../waiting/request.ts";
import type { RequestLock } from "../waiting/request.ts";
import type { AgentIntroduction } from "./session-agent.ts";
import type { HeartbeatThread } from "../heartbeats/heartbeats.ts";
import type { RetryCause } from "../../transport/transport.ts";
import { LockSession } from "./session.ts";

interface SessionsContext {
  readonly thread: HeartbeatThread | undefined;
  /** Called when there is something to close, and when there is nothing left. */
  readonly onUse: (isUsed: boolean) => void;
}

/** Idle time after which a session ends its watch. The next request starts it again. */
const idleMs = 60_000;

/** The sessions of one client: one for its agent, and one per other owner. */
export class LockSessions {
  readonly #caller: CallSender;
  readonly #introduction: AgentIntroduction;
  readonly #context: SessionsContext;
  readonly #sessions = new Map<string | undefined, LockSession>();
  /** Number of requests in progress per session. */
  readonly #requestCounts = new Map<LockSession, number>();

  constructor(caller: CallSender, introduction: AgentIntroduction, context: SessionsContext) {
    this.#caller = caller;
    this.#introduction = introduction;
    this.#context = context;
    caller.onAgentEnded = (agent, data) => {
      const session = this.#sessions.get(undefined);
      if (session?.owner === agent) session.agentEnded(data);
    };
  }

  readonly acquire = (paths: LockPaths, options?: LockOptions, retry?: RetryCause): Promise<Lock> =>
    // Without a limit of the wait there is no denial.
    awaitGuarded(this.#acquire(() => ({ ...parseLockOptions(paths, options), retry })) as Promise<Lock>);

  readonly tryAcquire = (paths: LockPaths, options?: TryLockOptions, retry?: RetryCause): Promise<Lock | DeniedLock> =>
    awaitGuarded(this.#acquire(() => ({ ...parseLockOptions(paths, options, "tryAcquire"), retry })));

  readonly request = ((paths: LockPaths, ...given: Parameters<typeof requestLock>[1]) =>
    requestLock((options) => this.#acquire(() => parseLockOptions(paths, options, "request")), given)) as RequestLock;

  /** True if no lock was ever requested, so there is nothing to release. */
  get isUnused(): boolean {
    return this.#sessions.size === 0;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    this.#sessions.clear();
    this.#context.onUse(false);
  }

  async #acquire(parse: () => AcquireRequest): Promise<Lock | DeniedLock> {
    const request = parse();
    const session = this.#sessionOf(request.ownerId);
    this.#requestCounts.set(session, (this.#requestCounts.get(session) ?? 0) + 1);
    try {
      return await acquireLock(session, request);
    } finally {
      const count = (this.#requestCounts.get(session) ?? 1) - 1;
      if (count > 0) this.#requestCounts.set(session, count);
      else this.#requestCounts.delete(session);
    }
  }

  #sessionOf(ownerId: string | undefined): LockSession {
    const known = this.#sessions.get(ownerId);
    if (known !== undefined) return known;
    const { thread, onUse } = this.#context;
    const session = new LockSession({
      caller: this.#caller,
      introduction: this.#introduction,
      ownerId,
      thread,
    });
    this.#sessions.set(ownerId, session);
    onUse(true);
    this.#scheduleIdleCheck(ownerId, session);
    return session;
  }

  /**
   * A client that acts for many owners in sequence would watch all of them forever. An agent that the client registered
   * itself lives until the client is closed, and so does its session.
   */
  #scheduleIdleCheck(ownerId: string | undefined, session: LockSession): void {
    const closeIfIdle = (): void => {
      if (this.#sessions.get(ownerId) !== session) return;
      const isOwn = ownerId === undefined && this.#caller.identity?.isOwn === true;
      if (isOwn || this.#requestCounts.has(session) || !session.isIdle) {
        this.#scheduleIdleCheck(ownerId, session);
        return;
      }
      this.#sessions.delete(ownerId);
      if (this.#sessions.size === 0) this.#context.onUse(false);
      // It holds nothing, so nothing is sent.
      void session.close();
    };
    this.#caller.clock.after(idleMs, closeIfIdle, { keepAlive: false });
  }
}
