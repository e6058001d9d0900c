import type { AppendResult, Journal, NodeCoordination } from "../../server/src/journal/journal.ts";
import { JournalError } from "../../server/src/journal/journal.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";

/** What happens to one append: it fails, having landed or not, and says so for certain or not. */
export interface Failure {
  readonly lands: boolean;
  readonly certain: boolean;
  readonly code: "full" | "io" | "invalid";
}

/** A real journal whose appends a test can hold back, fail and count. */
export class StagedJournal implements Journal {
  readonly batches: SealedBatch[] = [];
  readonly #journal: Journal;
  /** Decides the fate of each append; undefined lets it through. */
  fate: (batch: SealedBatch) => Failure | undefined = () => undefined;
  readsFail = false;
  #held: Promise<void> | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Appends wait until what this returns is called. */
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
    const failure = this.fate(batch);
    if (failure !== undefined && !failure.lands) throw failed(failure);
    const appended = await this.#journal.append(batch, unproven);
    if (appended.kind === "appended") this.batches.push(batch);
    if (failure !== undefined) throw failed(failure);
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
    if (this.readsFail) throw failed({ lands: false, certain: true, code: "io" });
    return read();
  }
}

/** What a journal tells of others where nobody else is. */
export const alone: Pick<NodeCoordination, "clusterStatus" | "onClusterStatus"> = {
  clusterStatus: () => ({ observedAtMs: 0, position: 0, nodeCount: 1, commonRules: 1, errorCode: undefined }),
  onClusterStatus: () => () => undefined,
};

function failed({ code, certain }: Failure): JournalError {
  return new JournalError(code, `staged: ${code}`, { certain });
}
