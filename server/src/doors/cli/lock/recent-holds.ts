import type { Client } from "@holdfast/sdk";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { duration } from "../terminal/relative-time.ts";

/** Minimum completed holds of a path for an estimate, and entries of its history that are read. */
const holdsMin = 3;
const entriesMax = 40;

interface LockHistoryItem {
  readonly time: string;
  readonly event: string;
  readonly data?: { readonly fence?: string };
}

/** `recent holds of repo/x took 2 s to 8 s`. Undefined without a history of the path: a guess would mislead. */
export async function recentHolds(client: Client, [path]: readonly string[]): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const page = await client.locks.history(path, { limit: entriesMax }).catch(() => undefined);
  const times = holdTimes((page?.items ?? []) as readonly LockHistoryItem[]);
  if (times.length < holdsMin) return undefined;
  const [shortest, longest] = [duration(Math.min(...times)), duration(Math.max(...times))];
  const range = shortest === longest ? shortest : `${shortest} to ${longest}`;
  return `recent holds of ${escapeControlChars(path)} took ${range}`;
}

/** The durations of completed holds, from a history with the newest entry first. */
function holdTimes(items: readonly LockHistoryItem[]): readonly number[] {
  const endings = new Map<string, number>();
  const times: number[] = [];
  for (const { event, time, data } of items) {
    const fence = data?.fence ?? "";
    if (/\.(?:released|expired|forced|recovered)$/u.test(event)) endings.set(fence, Date.parse(time));
    const ended = endings.get(fence);
    if (event.endsWith(".acquired") && ended !== undefined) times.push(ended - Date.parse(time));
  }
  return times;
}
