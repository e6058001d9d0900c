import { stateKey } from "./job-tables.ts";
import type { JobRow } from "./job-tables.ts";

/** The cursor of a page of jobs: the place of its last job among those in a state. */
export const jobCursor = {
  of: (last: JobRow): string => Buffer.from(stateKey(last)).toString("base64url"),

  /** The key after which the next page starts. */
  keyOf: (cursor: string | undefined): string | undefined =>
    cursor === undefined ? undefined : Buffer.from(cursor, "base64url").toString(),
};
