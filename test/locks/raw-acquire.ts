import { defined } from "@holdfast/sdk/base/defined";
import { HoldfastError } from "holdfast";
import type { CallOptions, Client, Granted, LockPath, LocksClient, OperationInput, Queued } from "holdfast";

type RawAcquireOptions = Omit<OperationInput<"acquire-lock">, "paths"> & CallOptions;

type RawDenial = Readonly<Record<string, unknown>> & { readonly granted: false; readonly denied: true };

type RawRequest<Answer> = (paths: LockPath | readonly LockPath[], options?: RawAcquireOptions) => Promise<Answer>;

/** The operations on locks together with acquire-lock, which neither waits nor renews. */
interface RawLocks extends LocksClient {
  readonly acquire: RawRequest<Granted | Queued>;
  readonly tryAcquire: RawRequest<Granted | Queued | RawDenial>;
}

export function rawLocks(client: Pick<Client, "operations" | "locks">): RawLocks {
  return {
    ...client.locks,
    acquire: (paths, options) => rawAcquire(client, paths, options),
    tryAcquire: (paths, options) => rawTryAcquire(client, paths, options),
  };
}

/** Sends acquire-lock for one path or a set. A denial is thrown. */
export function rawAcquire(
  client: Pick<Client, "operations">,
  paths: LockPath | readonly LockPath[],
  options: RawAcquireOptions = {},
): Promise<Granted | Queued> {
  const list = [paths].flat() as readonly LockPath[];
  const { key, deadlineMs, agent, agentSecret, trace, retry, signal, ...input } = options;
  const call = defined({ key, deadlineMs, agent, agentSecret, trace, retry, signal });
  return client.operations.acquireLock({ paths: list, ...input }, call);
}

/** The same with a denial as a value. */
export async function rawTryAcquire(...request: Parameters<typeof rawAcquire>): Promise<Granted | Queued | RawDenial> {
  try {
    return await rawAcquire(...request);
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== "lock_denied") throw error;
    return { ...error.data, granted: false, denied: true };
  }
}
