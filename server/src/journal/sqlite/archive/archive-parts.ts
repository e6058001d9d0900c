import type { DatabaseSync } from "node:sqlite";
import type { SqliteBatchTable } from "../batch-table.ts";
import type { MetaTable } from "../meta.ts";
import type { SegmentTable } from "./segment-table.ts";
import type { StepHook } from "../folder/transact.ts";

/** The parts of a journal that archive and erasure use. */
export interface ArchiveParts {
  readonly database: DatabaseSync;
  /** The batches in the database, without the archived ones. */
  readonly recent: SqliteBatchTable;
  readonly segments: SegmentTable;
  readonly meta: MetaTable;
  readonly yieldToLoop: () => Promise<void>;
  /** Throws if the journal is closing. */
  readonly throwIfClosing: () => void;
  readonly step: StepHook;
}
