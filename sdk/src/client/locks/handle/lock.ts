import type { Static } from "typebox";
import type { holder } from "../../../contract/grant.ts";
import type { LeftBefore } from "../../../contract/locks.ts";
import type { LockMode, LockScope } from "../lock-path.ts";

export type Holder = Static<typeof holder>;

/**
 * - `held`: nobody else can have it;
 * - `uncertain`: the server has not been heard in time, so the lease may be over: pause, and do not write;
 * - `lost`: it is gone, and `signal` is aborted;
 * - `released`: given back through this handle.
 */
export type LockState = "held" | "uncertain" | "lost" | "released";

export interface LockedPath {
  readonly path: string;
  readonly mode: LockMode;
  readonly scope: LockScope;
}

/** Somebody asks for the lock to be given back. */
export interface ReleaseRequest {
  readonly by: string;
  readonly reason: string;
  readonly path: string;
}

/** A lease nears its end. */
export interface LeaseWarning {
  readonly leftMs: number;
  /** By the clock of this host. */
  readonly endsAt: Date;
}

/** Where one stands in the line. */
export interface Place {
  readonly place: number;
  readonly waitsFor: readonly Holder[];
  readonly estimateMs: number | null;
}

/** A lock that was granted. It renews itself until it is released, at the latest at the end of its scope. */
export interface Lock extends AsyncDisposable {
  readonly granted: true;
  /** Send it with what you write under the lock. It changes with the mode. */
  readonly fence: string;
  readonly paths: readonly LockedPath[];
  /** The mode of the first path. */
  readonly mode: LockMode;
  readonly ownerId: string;
  readonly state: LockState;
  /** When the lease ends unless it is renewed, by the clock of this host. It counts from before it was asked for. */
  readonly expiresAt: Date;
  /** Aborts when the lock is lost, with a LockLostError as its reason; not when it is released. */
  readonly signal: AbortSignal;
  /** Why it was lost. */
  readonly lost: Error | undefined;
  /**
   * How whoever had it before left it: released, expired, forced; what for, and with what last note. Who waited for the
   * lock has it before this is known, and it is asked for then: while the lock is held.
   */
  leftBefore(): Promise<readonly LeftBefore[]>;
  /** Resolves as soon as the lock is certainly held: at once, or when the server has been heard again; else it throws. */
  certain(): Promise<void>;
  /** Renews at once, and may leave a note on how far the work is. It renews itself without this. */
  renew(options?: { readonly note?: string; readonly ttlSeconds?: number }): Promise<void>;
  /** Makes it a write lock, atomically; it goes before all who wait. The handle stays, its fence is a new one. */
  upgrade(options?: {
    readonly signal?: AbortSignal;
    readonly waitMs?: number;
    readonly onPlace?: (place: Place) => void;
  }): Promise<void>;
  /** The same without waiting: true, or what is in the way. */
  tryUpgrade(): Promise<true | DeniedLock>;
  downgrade(mode: LockMode): Promise<void>;
  /** Hands it to another owner; the handle is then released. */
  transfer(to: string): Promise<void>;
  release(options?: { readonly note?: string }): Promise<void>;
  /** Told when somebody asks for it, also if that was before this call. Returns the way to listen no more. */
  onReleaseRequested(listener: (request: ReleaseRequest) => void): () => void;
  /**
   * Told when a third of the lease is left and the server has heard of no renewal: they do not get through, or the longest
   * hold ends. The client renews at once by itself; if that fails too, the lock becomes `uncertain` and then `lost`.
   */
  onExpiring(listener: (warning: LeaseWarning) => void): () => void;
  /** Told of each change of `state`, until it is lost or released. */
  onStateChange(listener: (state: LockState) => void): () => void;
}

/** A lock that was not granted, and why. Disposing of it does nothing. */
export interface DeniedLock extends AsyncDisposable {
  readonly granted: false;
  /** Why, in a few words. */
  readonly reason: string;
  /** The same as a sentence for people: who has it, what for and until when. */
  readonly message: string;
  readonly holders: readonly Holder[];
  /** The place in the line that one would have got, or had when one stopped waiting. */
  readonly place: number;
  readonly data: Readonly<Record<string, unknown>>;
}
