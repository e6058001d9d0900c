/**
 * The peer of the locks: the package `redlock` on one Redis. Its commands share a connection, as ioredis does by
 * default.
 */
import { createRequire } from "node:module";
import { Redis } from "ioredis";

interface Lock {
  release(): Promise<unknown>;
}

interface Redlock {
  acquire(paths: readonly string[], ttlMs: number): Promise<Lock>;
  on(name: "error", listener: () => void): void;
}

/** Not an import: the package has types, and its `exports` hide them. */
const { default: Redlock } = createRequire(import.meta.url)("redlock") as {
  readonly default: new (clients: readonly Redis[], settings: Readonly<Record<string, number>>) => Redlock;
};

export interface RedlockPeer {
  /** Takes a lock. While another holder has the lock, it retries. */
  acquire(path: string): Promise<Lock>;
  /** Takes a lock and releases it. */
  cycle(path: string): Promise<void>;
  close(): void;
}

export function redlockOn(port: number): RedlockPeer {
  const redis = new Redis({ port, host: "127.0.0.1" });
  const redlock = new Redlock([redis], { retryCount: -1, retryDelay: 5, retryJitter: 0 });
  redlock.on("error", () => undefined);
  const acquire = (path: string): Promise<Lock> => redlock.acquire([path], 60_000);
  return {
    acquire,
    async cycle(path) {
      const lock = await acquire(path);
      await lock.release();
    },
    close: () => {
      redis.disconnect();
    },
  };
}
