import type { DatabaseSync } from "node:sqlite";
import type { SqliteBatchTable } from "../batch-table.ts";
import type { MetaTable } from "../meta-table.ts";
import type { SegmentTable } from "./segment-table.ts";
import type { StepHook } from "../folder/transact.ts";

/** What the long work on the batches needs. */
export interface ArchiveParts {
  readonly database: DatabaseSync;
  /** The table of the database alone. */
  readonly recent: SqliteBatchTable;
  readonly segments: SegmentTable;
  readonly meta: MetaTable;
  readonly yieldToLoop: () => Promise<void>;
  /** Throws if the journal is being closed. */
  readonly throwIfClosing: () => void;
  readonly step: StepHook;
}
