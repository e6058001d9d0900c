import type { Client, ClientOptions, DeniedLock, Lock } from "holdfast";
import { clientOf } from "../../server/src/assembly/open.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { lockNode } from "../locks/lock-node.ts";
import type { LockNode } from "../locks/lock-node.ts";

export interface ClientNode extends LockNode, AsyncDisposable {
  /** A client without a registered agent. */
  fresh(name: string, options?: ClientOptions): Client;
}

/** A node whose clients use the clock that the test moves. */
export async function clientNode(options: Parameters<typeof lockNode>[0] = {}): Promise<ClientNode> {
  const node = await lockNode(options);
  return {
    ...node,
    [Symbol.asyncDispose]: () => node.stop(),
    fresh: (name, more = {}) => clientOf(node.services, { client: { name, ...more } }),
  };
}

export function held(lock: Lock | DeniedLock): Lock {
  if (!lock.granted) throw new Error(`denied: ${lock.message}`);
  return lock;
}

export function denied(lock: Lock | DeniedLock): DeniedLock {
  if (lock.granted) throw new Error(`granted: ${lock.fence}`);
  return lock;
}

/** Polls until the condition holds. Each poll yields one turn of the event loop, and no poll waits for time. */
export async function soon(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 2_000; look += 1) {
    if (await isSo()) return;
    await loopTicks(1);
  }
  throw new Error("the condition did not hold after 2,000 turns");
}
