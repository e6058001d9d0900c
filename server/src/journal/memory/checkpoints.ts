import type { CheckpointHeader, CheckpointRow, SyncCheckpointDraft, SyncCheckpointStore } from "../checkpoint.ts";
import type { Head } from "../journal.ts";

interface MemoryCheckpoint {
  readonly header: CheckpointHeader;
  readonly rows: ReadonlyMap<string, CheckpointRow>;
}

const rowsPerSlice = 1_000;

/** Checkpoints on a memory disk. Each one holds all rows, because a copy is cheap for the small states of tests. */
export function createMemoryCheckpoints(isInHistory: (head: Head) => boolean): SyncCheckpointStore {
  let saved: readonly MemoryCheckpoint[] = [];

  const usable = (): readonly MemoryCheckpoint[] => saved.filter(({ header }) => isInHistory(header.head));

  return {
    list: () => usable().map(({ header }) => header),
    *rows(header) {
      const found = usable().find((checkpoint) => checkpoint.header.head.hash === header.head.hash);
      const rows = [...(found?.rows.values() ?? [])];
      for (let start = 0; start < rows.length; start += rowsPerSlice) yield rows.slice(start, start + rowsPerSlice);
    },
    begin(wanted): SyncCheckpointDraft | undefined {
      saved = usable();
      const base = saved[0];
      if (base?.header.head.hash !== wanted?.hash) return undefined;
      const rows = new Map(base?.rows);
      return {
        write(changed) {
          for (const row of changed) {
            const name = JSON.stringify([row.table, row.key]);
            if (row.line === undefined) rows.delete(name);
            else rows.set(name, row);
          }
        },
        commit(header) {
          saved = base === undefined ? [{ header, rows }] : [{ header, rows }, base];
        },
        abandon: () => undefined,
      };
    },
    clear() {
      saved = [];
    },
  };
}
