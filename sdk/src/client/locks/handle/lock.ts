import type { LeftBefore, LockHolder } from "../../operation-output.ts";
import type { LockMode, LockScope } from "../lock-path.ts";

/**
 * - `held`: no other owner can hold it.
 * - `uncertain`: the server did not answer in time, so the lease may have ended. Pause, and do not write.
 * - `lost`: the lock has ended, and `signal` is aborted.
 * - `released`: released through this handle.
 */
export type LockState = "held" | "uncertain" | "lost" | "released";

export interface LockedPath {
  readonly path: string;
  readonly mode: LockMode;
  readonly scope: LockScope;
}

/** A request of another owner to release the lock. */
export interface ReleaseRequest {
  /** The agent or the principal that sent it. */
  readonly by: string;
  /** The owner that needs the lock, if the author named another than itself. The author chose this name. */
  readonly byOwner?: string;
  readonly reason: string;
  readonly path: string;
}

/** A lease is about to expire. */
export interface LeaseWarning {
  readonly leftMs: number;
  /** By the clock of this host. */
  readonly endsAt: Date;
}

/** A place in the queue. */
export interface QueuePlace {
  readonly place: number;
  readonly waitsFor: readonly LockHolder[];
  readonly estimateMs: number | null;
}

/** A granted lock. It renews itself until it is released, at the latest at the end of its scope. */
export interface Lock extends AsyncDisposable {
  readonly granted: true;
  /** Send it with writes under the lock. It changes with the mode. */
  readonly fence: string;
  readonly paths: readonly LockedPath[];
  /** The mode of the first path. */
  readonly mode: LockMode;
  readonly ownerId: string;
  readonly state: LockState;
  /** End of the lease without a renewal, by the clock of this host. It counts from before the request. */
  readonly expiresAt: Date;
  /** Aborts when the lock is lost, with a LockLostError as its reason. A release does not abort it. */
  readonly signal: AbortSignal;
  /** The reason of the loss. */
  readonly lost: Error | undefined;
  /**
   * How the previous lock ended (released, expired, forced), its purpose and its last note. A queued request gets the
   * lock before this is known, so it is requested here, while the lock is held.
   */
  leftBefore(): Promise<readonly LeftBefore[]>;
  /** Resolves when the lock is certainly held: at once, or when the server has answered again. Otherwise it throws. */
  certain(): Promise<void>;
  /** Renews at once, with an optional note on the progress. The lock renews itself without this. */
  renew(options?: { readonly note?: string; readonly ttlMs?: number }): Promise<void>;
  /** Turns it into a write lock, atomically, ahead of all tickets. The handle stays and has a new fence. */
  upgrade(options?: {
    readonly signal?: AbortSignal;
    readonly waitMs?: number;
    readonly onPlace?: (place: QueuePlace) => void;
  }): Promise<void>;
  /** The same without waiting: true, or the denial. */
  tryUpgrade(): Promise<true | DeniedLock>;
  downgrade(mode: LockMode): Promise<void>;
  /** Transfers it to another owner. The handle is then released. */
  transfer(to: string): Promise<void>;
  release(options?: { readonly note?: string }): Promise<void>;
  /** Called for each release request, also for earlier ones. Returns the function to unsubscribe. */
  onReleaseRequested(listener: (request: ReleaseRequest) => void): () => void;
  /**
   * Called when a third of the lease is left without a renewal: renewals do not arrive, or the maximum hold ends. The
   * client renews at once by itself. If that fails too, the lock becomes `uncertain` and then `lost`.
   */
  onExpiring(listener: (warning: LeaseWarning) => void): () => void;
  /** Called on each change of `state`, until the lock is lost or released. */
  onStateChange(listener: (state: LockState) => void): () => void;
}

/** A denied lock with its reason. Disposing of it does nothing. */
export interface DeniedLock extends AsyncDisposable {
  readonly granted: false;
  /** The reason in a few words. */
  readonly reason: string;
  /** The reason as a sentence: the holder, its purpose and the end of its lease. */
  readonly message: string;
  readonly holders: readonly LockHolder[];
  /** The place that a ticket would get, or had when the wait ended. */
  readonly place: number;
  readonly data: Readonly<Record<string, unknown>>;
}
