import type { PackRules } from "../../packs/pack-rules.ts";
import type { AppRead } from "../reads/app-read.ts";

/** A pack with its parts that may wait. */
export interface ServerPack extends Omit<PackRules, "list"> {
  /** The reads of the pack, by operation. */
  readonly reads: Readonly<Record<string, AppRead>>;
}
