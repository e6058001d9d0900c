/** The point of the journal at which a history begins. */
import type { Client } from "holdfast";

export interface HistoryStart {
  /** Watchers follow the events after it. */
  readonly cursor: string;
  /** The last position before it. */
  readonly position: number;
}

/**
 * Cursor and position of the same moment. Leases of an earlier history on the same servers may expire between the two
 * reads. Such an event would look like one that the journal does not have.
 */
export async function historyStart(client: Pick<Client, "cursor" | "journal">): Promise<HistoryStart> {
  for (;;) {
    const cursor = await client.cursor();
    const { head: position } = await client.journal.list({ limit: 1 });
    if ((await client.cursor()) === cursor) return { cursor, position };
  }
}
