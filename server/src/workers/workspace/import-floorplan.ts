/** Checks an uploaded image whole and publishes it as the floorplan of a map. */
import { defined } from "@holdfast/sdk/base/defined";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fetchFile } from "./fetch-file.ts";
import { publishTiles } from "./generate-tiles.ts";
import { imageFormat, signatureBytes } from "./image-format.ts";
import type { ImageFormat } from "./image-format.ts";
import { imageLimits } from "./image-message.ts";
import { ImageFault, runImageChild } from "./run-image-child.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { publishTerms, required } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

interface ImportedFloorplan {
  readonly version: number;
  readonly width: number;
  readonly height: number;
  readonly tiles?: number;
}

export async function importFloorplan(job: WorkspaceJob): Promise<ImportedFloorplan> {
  const { payload, client, fence, signal } = job;
  const { project, root, tiles = false, tile_size: tileSize } = payload;
  const map = required(payload, "map");
  const source = `import/${project}/${required(payload, "upload")}`;
  const path = required(payload, "path");
  await using temporary = await temporaryFolder();
  const file = join(temporary.path, "image");
  const { version } = await client.files.get(source, { fence });
  const fetched = await fetchFile(job, { target: source, version, path }, { to: file, bytesMax: imageLimits.bytesMax });
  job.progress(20, "the image is read");
  const format = await formatOf(file, path);
  const result = await runImageChild({ kind: "inspect", file, format }, { signal });
  if (result.kind !== "inspected") throw new Error(`the process for images answered ${result.kind}`);
  const { width, height } = result.size;
  job.progress(tiles ? 30 : 60, `${String(width)} × ${String(height)} pixels`);
  const place = `project/${project}/map/${map}`;
  const name = `floorplan.${format}`;
  const rootOf = defined({ root });
  const terms = { fence, ...publishTerms(fetched.bytes), ...rootOf };
  await using publish = await client.files.publish(`${place}/floorplan`, terms);
  await publish.write(name, chunksOf(file));
  const meta = { file: name, format, width, height };
  const { version: published, root: rootOfFile } = await publish.commit({ meta });
  if (!tiles) return { version: published, width, height };
  const floorplan = { file, format, version: published, root: rootOfFile, size: result.size };
  const set = await publishTiles(job, place, floorplan, tileSize);
  return { version: published, width, height, tiles: set.tiles };
}

/** The content decides. A name with another ending is refused, because it misleads every reader. */
async function formatOf(file: string, path: string): Promise<ImageFormat> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(signatureBytes), 0, signatureBytes, 0);
  const format = imageFormat(buffer);
  if (format === undefined) throw new ImageFault(`${path} is not a PNG, JPEG, WebP or TIFF image`);
  const endings = { png: ["png"], jpeg: ["jpg", "jpeg"], webp: ["webp"], tiff: ["tif", "tiff"] }[format];
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  if (!endings.includes(ending))
    throw new ImageFault(`${path} contains a ${format} image: end its name with .${format}`);
  return format;
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(file);
  yield* handle.createReadStream() as AsyncIterable<Uint8Array>;
}
