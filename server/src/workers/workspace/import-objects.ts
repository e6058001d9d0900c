/** Imports objects from an uploaded file, in chunks under the one lock of the job. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { HoldfastError } from "@holdfast/sdk";
import { isObject } from "@holdfast/sdk/json/json";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { fetchFile } from "./fetch-file.ts";
import { shapeOfFeature } from "./feature-of.ts";
import type { Shape } from "./feature-of.ts";
import { readFeatures } from "./read-features.ts";
import type { NumberedFeature } from "./read-features.ts";
import { RecordChunk } from "./record-chunk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { ask, WorkInputFault, required } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

const bytesMax = 1024 ** 3;
const idPattern = /^(?!tmp$)(?!v\.)[a-z0-9][a-z0-9._-]{0,63}$/u;

interface ImportedObject {
  readonly map: string;
  readonly sketch: string;
  readonly object: string;
  readonly value: Shape;
}

export async function importObjects(job: WorkspaceJob): Promise<{ readonly objects: number }> {
  const { payload, client, fence } = job;
  const { project, map = "import", sketch = "import" } = payload;
  const target = `import/${project}/${required(payload, "upload")}`;
  await using temporary = await temporaryFolder();
  const file = join(temporary.path, "objects");
  const { version } = await client.files.get(target, { fence });
  await fetchFile(job, { target, version, path: required(payload, "path") }, { to: file, bytesMax });
  // A file with a wrong feature changes nothing: all of them are examined before the first is written.
  for await (const feature of readFeatures(file)) importedObject(feature, { map, sketch });
  // Lines up to the checkpoint are durable. The chunk after it may be too, and the same line is the same object.
  const done = typeof job.checkpoint === "number" ? job.checkpoint : 0;
  const made = new Set<string>();
  let objects = 0;
  const chunk = new RecordChunk<ImportedObject>();
  const write = async (number: number): Promise<void> => {
    await writeChunk(job, chunk.take(), made);
    job.progress(0, `${String(objects)} objects`, number);
  };
  for await (const feature of readFeatures(file)) {
    objects += 1;
    if (feature.number <= done) continue;
    const object = importedObject(feature, { map, sketch });
    const { length } = feature.text;
    const isOfMap = chunk.isEmpty || chunk.first?.map === object.map;
    if (!isOfMap || !chunk.hasRoomFor(length)) await write(feature.number - 1);
    chunk.add(object, length);
  }
  if (!chunk.isEmpty) await write(Number.MAX_SAFE_INTEGER);
  return { objects };
}

/** A feature without an id gets that of its text. So the same line twice is the same object. */
function importedObject(
  { number, text, value }: NumberedFeature,
  defaults: { readonly map: string; readonly sketch: string },
): ImportedObject {
  const what = `feature ${String(number)}`;
  const shape = shapeOfFeature(value, what);
  const { id } = value as JsonObject;
  const {
    map = defaults.map,
    sketch = defaults.sketch,
    ...properties
  } = isObject(shape.properties ?? null) ? (shape.properties as JsonObject) : {};
  const object =
    id === undefined
      ? `i-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`
      : typeof id === "number"
        ? String(id)
        : id;
  const ids = { map, sketch, id: object };
  const wrong = Object.entries(ids).find(([, each]) => typeof each !== "string" || !idPattern.test(each));
  if (wrong !== undefined)
    throw new WorkInputFault(`${what} has the ${wrong[0]} ${JSON.stringify(wrong[1])}, which is not an id`);
  const { properties: _properties, ...geometry } = shape;
  const more = Object.keys(properties).length === 0 ? {} : { properties };
  return { map: map as string, sketch: sketch as string, object: object as string, value: { ...geometry, ...more } };
}

async function writeChunk(job: WorkspaceJob, chunk: readonly ImportedObject[], made: Set<string>): Promise<void> {
  const { project } = job.payload;
  const [first] = chunk;
  if (first === undefined) return;
  const { map } = first;
  await makeOnce(made, map, () => ask(job, "create-map", { project, map, name: map }));
  for (const sketch of new Set(chunk.map((each) => each.sketch)))
    await makeOnce(made, `${map}/${sketch}`, () => ask(job, "create-sketch", { project, map, sketch, name: sketch }));
  const changes = chunk.map(({ sketch, object, value }) => ({ op: "put", sketch, object, value }));
  await ask(job, "change-objects", { project, map, level: "map", changes });
}

async function makeOnce(made: Set<string>, key: string, create: () => Promise<unknown>): Promise<void> {
  if (made.has(key)) return;
  try {
    await create();
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== "entity_exists") throw error;
  }
  made.add(key);
}
