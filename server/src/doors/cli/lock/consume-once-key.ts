import { HoldfastError } from "@holdfast/sdk";
import type { Client, Lock } from "@holdfast/sdk";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";

/** Whether this is the first to run something under a key, or who was. */
export type OnceKeyResult =
  | { readonly isFirst: true }
  | { readonly isFirst: false; readonly json: Readonly<Record<string, unknown>>; readonly text: string };

/**
 * Spends a key, under the lock: whoever comes first gets to run, and an idempotency key lets nobody come first twice. The
 * command that carries it names the fence, which is this grant's alone; so the same key from another grant is refused,
 * while a lost answer that is asked for again is not.
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
  readonly time: number;
  readonly data?: { readonly owner_id?: string };
}

/** The entry of the first run says when it was and whose; it may have been under another path, or long ago. */
async function describeFirstRun(
  client: Client,
  path: string,
  position: number,
): Promise<{ json: Record<string, unknown>; text: string }> {
  const page = await client.locks.history(path, { before: position + 1, limit: 1 });
  const item = (page.items as readonly FirstRunItem[]).find((each) => each.position === position);
  if (item === undefined) return { json: { position }, text: `entry ${position} ran it` };
  const at = new Date(item.time).toISOString();
  const owner = item.data?.owner_id ?? "somebody";
  return {
    json: { position, at, owner_id: owner },
    text: `${escapeControlChars(owner)} ran it at ${at} (entry ${position})`,
  };
}
