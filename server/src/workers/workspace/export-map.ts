/** Publishes a map: its sketches as GeoJSON in calibrated units, its floorplan, and the counts. */
import { defined } from "@holdfast/sdk/base/defined";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { HoldfastError } from "@holdfast/sdk";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { fetchFile, filesOf } from "./fetch-file.ts";
import { featureOf } from "./feature-of.ts";
import type { CalibrationMatrix, Shape } from "./feature-of.ts";
import { imageLimits } from "./image-message.ts";
import { listPages } from "./list-pages.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { ask, publishTerms, required } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

interface ListedObject extends Shape {
  readonly sketch: string;
  readonly object: string;
}

interface ExportedMap {
  readonly target: string;
  readonly objects: number;
  readonly sketches: number;
}

export async function exportMap(job: WorkspaceJob): Promise<ExportedMap> {
  const { payload, client, fence, id } = job;
  const { project, root } = payload;
  const map = required(payload, "map");
  const target = `export/${project}/${map}/${id}`;
  const record = await ask<JsonObject>(job, "get-map", { project, map });
  const { calibration } = record as {
    readonly calibration?: { readonly matrix: CalibrationMatrix; readonly unit: string };
  };
  await using temporary = await temporaryFolder();
  const file = join(temporary.path, "map.geojson");
  const counts = await writeFeatures(job, { project, map, file, matrix: calibration?.matrix });
  job.progress(60, `${String(counts.objects)} objects`);
  const floorplan = await floorplanOf(job, `project/${project}/map/${map}/floorplan`, temporary.path);
  const unit = calibration?.unit ?? "px";
  const about = `${JSON.stringify({ project, map, unit, ...counts, floorplan: floorplan?.path ?? null })}\n`;
  const bytes = (await stat(file)).size + (floorplan?.bytes ?? 0) + Buffer.byteLength(about);
  await using publish = await client.files.publish(target, { fence, ...publishTerms(bytes), ...defined({ root }) });
  await publish.write("map.geojson", chunksOf(file));
  if (floorplan !== undefined) await publish.write(floorplan.path, chunksOf(floorplan.file));
  await publish.write("map.json", about);
  await publish.commit({ meta: { project, map, unit, ...counts } });
  return { target, ...counts };
}

interface FeaturesOptions {
  readonly project: string;
  readonly map: string;
  readonly file: string;
  readonly matrix: CalibrationMatrix | undefined;
}

/** One feature in each line of the collection, so that a large map does not fill the memory. */
async function writeFeatures(
  job: WorkspaceJob,
  { project, map, file, matrix }: FeaturesOptions,
): Promise<{ readonly objects: number; readonly sketches: number }> {
  const sketches = new Set<string>();
  let objects = 0;
  await using handle = await open(file, "wx", 0o600);
  await handle.writeFile('{"type":"FeatureCollection","features":[');
  for await (const { sketch, object, ...shape } of listPages<ListedObject>(job, "list-objects", { project, map })) {
    sketches.add(sketch);
    const feature = featureOf(shape, { id: object, added: { sketch } }, matrix);
    await handle.writeFile(`${objects === 0 ? "" : ","}\n${JSON.stringify(feature)}`);
    objects += 1;
  }
  await handle.writeFile("\n]}\n");
  return { objects, sketches: sketches.size };
}

/** A map may have no floorplan. */
async function floorplanOf(
  job: WorkspaceJob,
  target: string,
  folder: string,
): Promise<{ readonly path: string; readonly file: string; readonly bytes: number } | undefined> {
  const { client, fence } = job;
  const found = await client.files.get(target, { fence }).catch((error: unknown) => {
    if (error instanceof HoldfastError && error.code === "files.version_unknown") return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const { version } = found;
  for await (const { path } of filesOf(job, target, version)) {
    const file = join(folder, "floorplan");
    const fetched = await fetchFile(job, { target, version, path }, { to: file, bytesMax: imageLimits.bytesMax });
    return { path, file, bytes: fetched.bytes };
  }
  return undefined;
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(file);
  yield* handle.createReadStream() as AsyncIterable<Uint8Array>;
}
