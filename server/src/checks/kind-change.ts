import type { Json } from "@holdfast/sdk/json/json";

/** The argument of the function `check` that the module of a kind exports. */
export interface KindChange {
  /** The new value; undefined for a deletion. */
  readonly next: Json | undefined;
  /** The value before; undefined for a creation. */
  readonly previous: Json | undefined;
  /** The value of another entity; undefined if it does not exist. The change is checked again if one of them changes. */
  readonly read: (type: string, id: string) => Json | undefined;
}

/** The result of a kind's check. The errors are data for the caller. */
export interface KindVerdict {
  readonly ok: boolean;
  readonly errors?: readonly Json[];
}
