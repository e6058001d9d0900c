/** Cuts the floorplan of a map into tiles and publishes them. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fetchFile } from "./fetch-file.ts";
import type { ImageFormat } from "./image-format.ts";
import { imageLimits, tileSetOf } from "./image-message.ts";
import type { ImageSize, TileSet } from "./image-message.ts";
import { runImageChild } from "./run-image-child.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { publishTerms, WorkInputFault, required } from "./workspace-job.ts";
import type { WorkspaceJob } from "./workspace-job.ts";

const tileSizeDefault = 256;
/** The share of the progress that syncing and the commit take. */
const commitPercent = 5;

interface FloorplanFile {
  readonly file: string;
  readonly format: ImageFormat;
  /** The version of the floorplan. */
  readonly version: number;
  /** The storage root of the floorplan. A project that names none has all its files there. */
  readonly root: string;
  readonly size: ImageSize;
}

/** Maximum bytes of a tile besides its pixels. */
const tileOverhead = 4_096;

/** Maximum bytes of the tiles of an image, if no tile can be compressed. */
function tilesBytesMax(size: ImageSize, tileSize: number): number {
  return tileSetOf(size, tileSize).tiles * (4 * tileSize * tileSize + tileSize + tileOverhead);
}

export async function generateTiles(job: WorkspaceJob): Promise<TileSet & { readonly version: number }> {
  const { payload, client, fence } = job;
  const place = `project/${payload.project}/map/${required(payload, "map")}`;
  const target = `${place}/floorplan`;
  const { version, root, meta = {} } = await client.files.get(target, { fence });
  const {
    file: name,
    format,
    width,
    height,
  } = meta as Partial<ImageSize> & {
    readonly file?: string;
    readonly format?: ImageFormat;
  };
  const isSized = Number.isSafeInteger(width) && Number.isSafeInteger(height);
  if (name === undefined || format === undefined || width === undefined || height === undefined || !isSized)
    throw new WorkInputFault(`${target} was not made by import-floorplan`);
  await using temporary = await temporaryFolder();
  const file = join(temporary.path, "image");
  await fetchFile(job, { target, version, path: name }, { to: file, bytesMax: imageLimits.bytesMax });
  return await publishTiles(job, place, { file, format, version, root, size: { width, height } }, payload.tile_size);
}

/** On the host of the root the tiles are cut into the folder of the publish. Elsewhere they are sent. */
export async function publishTiles(
  job: WorkspaceJob,
  place: string,
  { file, format, version, root, size }: FloorplanFile,
  tileSize = tileSizeDefault,
): Promise<TileSet & { readonly version: number }> {
  const { client, fence, signal } = job;
  const rootFolder = job.rootFolder(root);
  const terms = { fence, root, ...publishTerms(tilesBytesMax(size, tileSize)) };
  const target = `${place}/tiles`;
  const cut = async (folder: string): Promise<TileSet> => {
    const onProgress = (done: number, total: number): void => {
      job.progress((100 - commitPercent) * Math.min(1, done / total), `${String(done)} of ${String(total)} tiles`);
    };
    const result = await runImageChild({ kind: "tiles", file, format, folder, tileSize }, { signal, onProgress });
    if (result.kind !== "tiled") throw new Error(`the process for images answered ${result.kind}`);
    job.progress(100 - commitPercent, "the tiles are published");
    return result.set;
  };
  const metaOf = ({ width, height, levels, tiles }: TileSet) => ({
    ...{ width, height, levels, tiles, tile_size: tileSize, floorplan: version },
  });
  if (rootFolder === undefined) {
    await using temporary = await temporaryFolder();
    const folder = join(temporary.path, "tiles");
    await mkdir(folder);
    const set = await cut(folder);
    const published = await client.files.publishFolder(target, folder, { ...terms, meta: metaOf(set) });
    return { ...set, version: published.version };
  }
  await using publish = await client.files.publish(target, { ...terms, rootFolder });
  if (publish.folder === undefined) throw new Error("the publish has no folder");
  const set = await cut(publish.folder);
  const published = await publish.commit({ meta: metaOf(set) });
  return { ...set, version: published.version };
}
