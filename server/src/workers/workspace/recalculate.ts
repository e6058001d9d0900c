/** Computes the totals of every sketch and map of a project again from its objects. */
import type { Json } from "@holdfast/sdk/json/json";
import type { CalibrationMatrix, Shape } from "./feature-of.ts";
import { recordsOf } from "./list-pages.ts";
import { TotalsCount } from "./totals.ts";
import { ask } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

const identity: CalibrationMatrix = [1, 0, 0, 0, 1, 0];

export async function recalculate(job: WorkspaceJob): Promise<{ readonly maps: number; readonly sketches: number }> {
  const { project } = job.payload;
  const counts = await countAll(job);
  let done = 0;
  for (const [place, count] of counts) {
    const [map = "", sketch] = place.split("/");
    const input = sketch === undefined ? { project, map } : { project, map, sketch };
    await ask(job, "set-totals", { ...input, totals: count.totals });
    done += 1;
    job.progress((100 * done) / counts.size, `${String(done)} of ${String(counts.size)} records`);
  }
  const sketches = [...counts.keys()].filter((place) => place.includes("/")).length;
  return { maps: counts.size - sketches, sketches };
}

/** The totals of each map and sketch, by its ids. Maps come before their sketches, and sketches before their objects. */
async function countAll(job: WorkspaceJob): Promise<ReadonlyMap<string, TotalsCount>> {
  const matrices = new Map<string, CalibrationMatrix>();
  const counts = new Map<string, TotalsCount>();
  for await (const { type, id, value } of recordsOf(job)) {
    const [map = "", sketch = ""] = id.split("/");
    if (type === "workspace-map") matrices.set(map, matrixOf(value));
    if (type === "workspace-map" || type === "workspace-sketch")
      counts.set(id, new TotalsCount(matrices.get(map) ?? identity));
    if (type === "workspace-object")
      for (const place of [map, `${map}/${sketch}`]) counts.get(place)?.add(value as unknown as Shape);
  }
  return counts;
}

function matrixOf(map: Json): CalibrationMatrix {
  const { calibration } = map as { readonly calibration?: { readonly matrix: CalibrationMatrix } };
  return calibration?.matrix ?? identity;
}
