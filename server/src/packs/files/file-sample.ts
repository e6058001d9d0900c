import type { StateReader } from "../../machine/state.ts";
import { garbageTable, publishTable, rootTable, targetTable, versionTable } from "./file-tables.ts";

/** Maximum roots that are shown. */
const rootsMax = 1_000;

interface RootFigures {
  readonly root: string;
  readonly bytes: number;
  readonly reserved: number;
  readonly bytesMax: number | undefined;
  readonly isDegraded: boolean;
}

/** The figures of files for metrics. */
export function fileSample(state: StateReader): {
  readonly versions: number;
  readonly targets: number;
  readonly publishes: number;
  readonly garbage: number;
  readonly roots: readonly RootFigures[];
} {
  return {
    versions: state.rows(versionTable).size,
    targets: state.rows(targetTable).size,
    publishes: state.rows(publishTable).size,
    garbage: state.rows(garbageTable).size,
    roots: state
      .rows(rootTable)
      .scan("root", { limit: rootsMax })
      .map(({ root, bytes, reserved, bytesMax, degraded }) => ({
        root,
        bytes,
        reserved,
        bytesMax,
        isDegraded: degraded !== undefined,
      })),
  };
}
