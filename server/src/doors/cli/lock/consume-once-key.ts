import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import type { Client, Lock } from "@holdfast/sdk";
import { AgentNames } from "../terminal/agent-names.ts";

/** Whether this is the first run of a key. If not, it describes the first run. */
type OnceKeyResult =
  | { readonly isFirst: true }
  | { readonly isFirst: false; readonly json: Readonly<Record<string, unknown>>; readonly text: string };

/**
 * Consumes a key under the lock. The first caller may run, and the idempotency key prevents a second first caller. The
 * renewal that carries the key names the fence, which is unique to this grant. The server therefore refuses the same key
 * from another grant, but accepts a retry after a lost reply.
 */
export async function consumeOnceKey(client: Client, lock: Lock, key: string): Promise<OnceKeyResult> {
  try {
    await client.locks.renew({ fence: lock.fence }, { key: `lock-once:${key}`, note: `runs ${key}` });
    return { isFirst: true };
  } catch (error) {
    if (!isAlreadyUsed(error)) throw error;
    const [path = ""] = lock.paths.map((locked) => locked.path);
    return { isFirst: false, ...(await describeFirstRun(client, path, Number(error.data["position"]))) };
  }
}

function isAlreadyUsed(error: unknown): error is HoldfastError {
  const codes = ["idempotency_replay_conflict", "idempotency_key_expired", "entry_erased"];
  return error instanceof HoldfastError && codes.includes(error.code);
}

interface FirstRunItem {
  readonly position: number;
  readonly time: string;
  readonly data?: { readonly owner_id?: string };
}

/** Finds the time and the owner in the entry of the first run. That run may have used another path, or be long ago. */
async function describeFirstRun(
  client: Client,
  path: string,
  position: number,
): Promise<{ json: Record<string, unknown>; text: string }> {
  const page = await client.locks.history(path, { before: position + 1, limit: 1 });
  const item = (page.items as readonly FirstRunItem[]).find((candidate) => candidate.position === position);
  if (item === undefined) return { json: { position }, text: `entry ${position} ran it` };
  const { time: at } = item;
  const owner = item.data?.owner_id ?? "unknown";
  const names = new AgentNames({ call: (operation, input) => client.run(operation, input) as never });
  await names.load([owner]);
  return {
    json: { position, at, owner_id: owner },
    text: `${names.label(owner)} ran it at ${at} (entry ${position})`,
  };
}
