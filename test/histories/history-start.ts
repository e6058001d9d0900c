/** Where a history begins. */
import type { Client } from "holdfast";

export interface HistoryStart {
  /** Watchers follow what comes after it. */
  readonly cursor: string;
  /** The last position before it. */
  readonly position: number;
}

/**
 * Cursor and position of the same moment. Leases of an earlier history on the same servers may run out while they are
 * asked for; what then came between the two would look like something that a watcher was told in vain.
 */
export async function historyStart(client: Pick<Client, "cursor" | "journal">): Promise<HistoryStart> {
  for (;;) {
    const cursor = await client.cursor();
    const { head: position } = await client.journal.list({ limit: 1 });
    if ((await client.cursor()) === cursor) return { cursor, position };
  }
}
