import type { AppendResult, Journal, NodeCoordination } from "../../server/src/journal/journal.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";

/** The staged failure of an append: whether the batch is written anyway, and whether the error is certain. */
export interface StagedFailure {
  readonly isWritten: boolean;
  readonly certain: boolean;
  readonly code: "full" | "io" | "invalid";
}

/** A real journal whose appends a test can delay, fail and count. */
export class StagedJournal implements Journal {
  readonly batches: SealedBatch[] = [];
  readonly #journal: Journal;
  /** Decides the failure of each append. Undefined lets the append succeed. */
  failureOf: (batch: SealedBatch) => StagedFailure | undefined = () => undefined;
  readsFail = false;
  #held: Promise<void> | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Delays appends until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#held = promise;
    return () => {
      this.#held = undefined;
      resolve(undefined);
    };
  }

  async append(batch: SealedBatch, unproven?: readonly string[]): Promise<AppendResult> {
    await this.#held;
    const failure = this.failureOf(batch);
    if (failure !== undefined && !failure.isWritten) throw stagedError(failure);
    const appended = await this.#journal.append(batch, unproven);
    if (appended.kind === "appended") this.batches.push(batch);
    if (failure !== undefined) throw stagedError(failure);
    return appended;
  }

  follow: Journal["follow"] = (after, limit) => this.#read(() => this.#journal.follow(after, limit));
  read: Journal["read"] = (after, limit) => this.#read(() => this.#journal.read(after, limit));
  readAt: Journal["readAt"] = (positions) => this.#read(() => this.#journal.readAt(positions));
  findKeys: Journal["findKeys"] = (scopes) => this.#read(() => this.#journal.findKeys(scopes));
  findSubject: Journal["findSubject"] = (query) => this.#read(() => this.#journal.findSubject(query));
  head: Journal["head"] = () => this.#read(() => this.#journal.head());
  get checkpoints(): Journal["checkpoints"] {
    return this.#journal.checkpoints;
  }
  coordination?: NodeCoordination;
  forkReason: string | undefined = undefined;
  erase: Journal["erase"] = (position, by) => this.#journal.erase(position, by);
  erasureMark: Journal["erasureMark"] = () => this.#journal.erasureMark();
  setErasureMark: Journal["setErasureMark"] = (mark) => this.#journal.setErasureMark(mark);
  archive: Journal["archive"] = (to) => this.#journal.archive(to);
  settleFork: Journal["settleFork"] = () => this.#journal.settleFork();
  onWake: Journal["onWake"] = (listener) => this.#journal.onWake(listener);
  close: Journal["close"] = () => this.#journal.close();

  async #read<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.readsFail) throw stagedError({ isWritten: false, certain: true, code: "io" });
    return read();
  }
}

/** The cluster status of a journal that one node uses. */
export const singleNode: Pick<NodeCoordination, "clusterStatus" | "onClusterStatus"> = {
  clusterStatus: () => ({ observedAtMs: 0, position: 0, nodeCount: 1, commonRules: 1, errorCode: undefined }),
  onClusterStatus: () => () => undefined,
};

function stagedError({ code, certain }: StagedFailure): JournalError {
  return new JournalError(code, `staged: ${code}`, { certain });
}
