import type { Operation } from "../operation.ts";
import type { Problem } from "../problem.ts";
import type { Resource } from "./resource.ts";

/** A system built on features: its resources, its operations and its problems. */
export interface Pack {
  readonly name: string;
  readonly summary: string;
  readonly resources: readonly Resource[];
  /** The name of each starts with the name of the pack and a dot. */
  readonly operations: readonly Operation[];
  /** The pack's own problem codes. Each code starts with the name of the pack. */
  readonly problems: Readonly<Record<string, Problem>>;
}
