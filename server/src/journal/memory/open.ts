/** A journal in memory, for tests and simulation. Its disk keeps all data, also after a simulated crash. */
import { JournalError, type LocalJournal } from "../journal.ts";
import { appendBatch } from "./append.ts";
import type { MemoryDisk, MemoryStore } from "./disk.ts";
import { erasePayload } from "./erase.ts";
import { followPage, readPage, readPositions } from "./read.ts";

export function openMemoryJournal(disk: MemoryDisk): LocalJournal {
  const store = disk as MemoryStore;
  const listeners = new Set<() => void>();
  const wake = (): void => {
    for (const listener of [...listeners]) listener();
  };
  store.listeners.add(wake);
  let closed = false;

  /** Runs the work synchronously, so calls never interleave. */
  async function use<Result>(work: () => Result): Promise<Result> {
    if (closed) throw new JournalError("closed", "The journal is closed.", { certain: true });
    return Promise.resolve(work());
  }

  return {
    head: () => use(() => store.head()),
    append: (batch) =>
      use(() => {
        const result = appendBatch(store, batch);
        // The other journals are notified after this call, as over a network, never from inside the append.
        if (result.kind === "appended") for (const other of store.listeners) if (other !== wake) queueMicrotask(other);
        return result;
      }),
    follow: (after, limit) => use(() => followPage(store, after, limit)),
    read: (after, limit) => use(() => readPage(store, after, limit)),
    readAt: (positions) => use(() => readPositions(store, positions)),
    findKeys: (scopes) => use(() => scopes.map((scope) => store.index().findKey(scope))),
    findSubject: (query) => use(() => store.index().findSubject(query)),
    findSubjectInMemory: (query) => (closed ? undefined : store.index().findSubject(query)),
    checkpoints: store.checkpoints,
    erase: (position, by) =>
      use(() => {
        erasePayload(store, position, by);
      }),
    erasureMark: () => use(() => store.erasureMark),
    setErasureMark: (mark) =>
      use(() => {
        store.erasureMark = mark;
      }),
    // Memory has no cheaper storage to move entries to.
    archive: () => Promise.resolve({ to: 0, batchCount: 0, segmentCount: 0 }),
    forkReason: undefined,
    settleFork: () => Promise.resolve(),
    onWake(listener) {
      // Each registration gets its own wrapper, so a listener that is registered twice can be unsubscribed once.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close() {
      closed = true;
      store.listeners.delete(wake);
      listeners.clear();
      return Promise.resolve();
    },
  };
}
