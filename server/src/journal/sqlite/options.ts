import type { StepHook } from "./folder/transact.ts";

export interface SqliteJournalOptions {
  readonly folder: string;
  /** When the process started, for whoever finds the folder in use. */
  readonly startedAt: string;
  readonly space?: string;
  /** How many index rows are kept in memory before they are written to index.db. */
  readonly tailRows?: number;
  /** Lets others run while a long index is built at open or written at close. */
  readonly yieldToLoop?: () => Promise<void>;
  /** Hears that index.db could not be written. No entry is lost by it; memory grows until it works again. */
  readonly onIndexError?: (error: unknown) => void;
  /** Hears that checkpoint.db could not be used and was deleted. The next start folds more. */
  readonly onCheckpointError?: (error: unknown) => void;
  /** Hears that an erasure or an archive which was cut short could not be finished at open. */
  readonly onUpkeepError?: (error: unknown) => void;
  /** Makes an id that nobody else has, for the folder. Without it a copied folder is not noticed. */
  readonly newId?: () => string;
  /** Called between the steps of long work, for tests that end the process there. */
  readonly onStep?: StepHook;
}
