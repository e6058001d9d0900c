/** The parts of a job of the workspace that its handlers share. */
import type { Client } from "@holdfast/sdk";
import type { RunningJob } from "@holdfast/sdk/running-job";

/** The payload of a job: the input of the operation that submitted it. */
interface WorkspacePayload {
  readonly project: string;
  readonly map?: string;
  readonly sketch?: string;
  /** The storage root of the project, or of a backup. */
  readonly root?: string;
  readonly upload?: string;
  readonly path?: string;
  readonly tiles?: boolean;
  readonly tile_size?: number;
  readonly backup?: string;
}

export interface WorkspaceJob {
  readonly id: string;
  readonly payload: WorkspacePayload;
  /** The fence of the job's lock. Every write presents it, and is refused without it. */
  readonly fence: string;
  /** A client with the identity of the worker. */
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly checkpoint: unknown;
  /** The folder of a storage root on this host; undefined if files must be sent. */
  readonly rootFolder: (root: string) => string | undefined;
  progress(percent: number, message?: string, checkpoint?: unknown): void;
}

/** A fault of the input: a retry would fail too. */
export class WorkInputFault extends Error {
  override readonly name = "WorkInputFault";
}

/** Something that ends by itself. The job returns to the queue meanwhile, which costs it no attempt. */
export class WaitFault extends Error {
  override readonly name = "WaitFault";
}

export function workspaceJob(job: RunningJob, client: Client, rootFolder: WorkspaceJob["rootFolder"]): WorkspaceJob {
  const { id, payload, fence, signal, checkpoint, agent } = job;
  if (fence === undefined) throw new WorkInputFault("the job has no locks: submit it by an operation of the workspace");
  return {
    ...{ id, fence, signal, checkpoint, rootFolder },
    payload: payload as WorkspacePayload,
    client: client.as(agent),
    progress: (percent, message, newCheckpoint) => {
      job.progress(percent, message, newCheckpoint);
    },
  };
}

/** A member of the payload that the operation always sets. */
export function required(payload: WorkspacePayload, member: "map" | "upload" | "path" | "backup"): string {
  const value = payload[member];
  if (value === undefined) throw new WorkInputFault(`the payload lacks ${member}`);
  return value;
}

/** Minimum bytes per second of a publish. A slower one expires. */
const bytesPerSecondMin = 100_000;
const timeoutMsMin = 3_600_000;
const timeoutMsMax = 86_400_000;

/** The room and the time of a publish whose size is known. Without them it reserves 1 GiB, and no more fits. */
export function publishTerms(bytesMax: number): { readonly bytesMax: number; readonly timeoutMs: number } {
  const neededMs = Math.ceil(bytesMax / bytesPerSecondMin) * 1_000;
  return { bytesMax, timeoutMs: Math.min(timeoutMsMax, Math.max(timeoutMsMin, neededMs)) };
}

/** Sends an operation of the workspace with the members of the wire. */
export async function ask<Output>(
  { client, fence, signal }: WorkspaceJob,
  operation: string,
  input: object,
): Promise<Output> {
  signal.throwIfAborted();
  return (await client.run(`workspace.${operation}`, { ...input, fence })) as Output;
}
