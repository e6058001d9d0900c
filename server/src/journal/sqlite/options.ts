import type { StepHook } from "./folder/transact.ts";
import type { IndexThread } from "./index/index-thread.ts";

export interface SqliteJournalOptions {
  readonly folder: string;
  /** The start time of the process. The error "owned" shows it to another process. */
  readonly startedAt: string;
  readonly space?: string;
  /** Number of index rows in memory at which they are flushed to index.db. */
  readonly tailRows?: number;
  /** Opens the thread that writes index.db. Many short tests do its work in their own thread. */
  readonly openThread?: (folder: string) => IndexThread;
  /** Yields to the event loop while a long index is built at open or written at close. */
  readonly yieldToLoop?: () => Promise<void>;
  /** Called if index.db could not be written. No entry is lost. Memory grows until a flush succeeds. */
  readonly onIndexError?: (error: unknown) => void;
  /** Called if checkpoint.db was unusable and was deleted. The next start folds more entries. */
  readonly onCheckpointError?: (error: unknown) => void;
  /** Called if the open could not complete an interrupted erasure or archive. */
  readonly onUpkeepError?: (error: unknown) => void;
  /** Called with a warning if other users had rights on the folder, which were removed. */
  readonly onRepair?: (warning: string) => void;
  /** Makes a unique id for the folder. Without it, a copied folder is not detected. */
  readonly newId?: () => string;
  /** Called between the steps of long work. Tests kill the process there. */
  readonly onStep?: StepHook;
}
