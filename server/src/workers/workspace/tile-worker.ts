/**
 * The process that decodes one image. A crash of the image library ends this process and nothing else, and an abort kills it.
 * It receives one request, answers it and ends.
 */
import { readdir, rename, rm, mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sharp, SharpOptions } from "sharp";
import { systemClock } from "../../base/clock.ts";
import { imageLimits, tileSetOf } from "./image-message.ts";
import type { ImageMessage, ImageRequest, ImageSize, TileSet } from "./image-message.ts";

type SharpFactory = (file: string, options: SharpOptions) => Sharp;

/** Interval between two counts of written tiles. */
const countEveryMs = 500;

/** The loaders that are allowed. All others are blocked: the library chooses a loader by the content of a file. */
const loaders = ["Png", "Jpeg", "Webp", "Tiff"].map((name) => `VipsForeignLoad${name}File`);

/** The image is at fault, and not the library or the disk. */
class BrokenImage extends Error {}

function send(message: ImageMessage): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => {
      resolve();
    });
  });
}

type FileRequest = Exclude<ImageRequest, { kind: "probe" }>;

async function openImage({
  file,
  format,
}: FileRequest): Promise<{ readonly image: () => Sharp; readonly size: ImageSize }> {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: loaders });
  const make = sharp as unknown as SharpFactory;
  // The header is read first, and nothing is decoded before the size is known to be small enough.
  const options: SharpOptions = {
    ...{ failOn: "truncated", limitInputPixels: imageLimits.pixelsMax, sequentialRead: true, autoOrient: true },
  };
  const found = await make(file, { ...options, limitInputPixels: false })
    .metadata()
    .catch(broken);
  const { width, height } = found.autoOrient;
  if (found.format !== format)
    throw new BrokenImage(`its content is ${found.format}, and its first bytes are ${format}`);
  if (width * height > imageLimits.pixelsMax)
    throw new BrokenImage(`it has more than ${String(imageLimits.pixelsMax)} pixels`);
  if (Math.max(width, height) > imageLimits.sideMax)
    throw new BrokenImage(`a side has more than ${String(imageLimits.sideMax)} pixels`);
  return { image: () => make(file, options), size: { width, height } };
}

function broken(error: unknown): never {
  throw new BrokenImage(error instanceof Error ? error.message : "it cannot be decoded");
}

/** Decodes the whole image, so that half a file is noticed before it is published. */
async function inspect(request: FileRequest): Promise<ImageMessage> {
  const { image, size } = await openImage(request);
  await image().stats().catch(broken);
  return { kind: "inspected", size };
}

async function cutTiles(request: Extract<ImageRequest, { kind: "tiles" }>): Promise<ImageMessage> {
  const { folder, tileSize } = request;
  const { image, size } = await openImage(request);
  const set = tileSetOf(size, tileSize);
  const made = join(folder, "made");
  const cutting = image()
    .toColourspace("srgb")
    .png()
    // By default the library leaves out blank tiles, and then fails for an image that is all white.
    .tile({ size: tileSize, layout: "google", depth: "onetile", skipBlanks: -1 })
    .toFile(made);
  const stopCounting = countTiles(made, set.tiles);
  await cutting.catch(broken).finally(stopCounting);
  const tiles = await arrange(made, folder, set);
  if (tiles !== set.tiles) throw new Error(`${String(tiles)} tiles were cut, and ${String(set.tiles)} are expected`);
  return { kind: "tiled", set };
}

/** Reports the number of written tiles at intervals. Returns a function that stops it. */
function countTiles(made: string, total: number): () => void {
  const report = async (): Promise<void> => {
    const names = await readdir(made, { recursive: true }).catch(() => []);
    await send({ kind: "progress", done: names.filter((name) => name.endsWith(".png")).length, total });
    cancel = systemClock.after(countEveryMs, () => void report(), { keepAlive: false });
  };
  let cancel = systemClock.after(countEveryMs, () => void report(), { keepAlive: false });
  return () => {
    cancel();
  };
}

/** The library writes level, row, column. Viewers ask for level, column, row. Returns the number of tiles. */
async function arrange(made: string, folder: string, { levels }: TileSet): Promise<number> {
  let tiles = 0;
  for (let level = 0; level < levels; level += 1) {
    const rows = await readdir(join(made, String(level)));
    for (const row of rows) {
      const columns = await readdir(join(made, String(level), row));
      for (const file of columns) {
        const column = file.slice(0, -".png".length);
        const target = join(folder, String(level), column);
        if (row === "0") await mkdir(target, { recursive: true, mode: 0o700 });
        await rename(join(made, String(level), row, file), join(target, `${row}.png`));
        tiles += 1;
      }
      await rmdir(join(made, String(level), row));
    }
    await rmdir(join(made, String(level)));
  }
  // The library adds a blank tile and a list of properties, and no viewer asks for them.
  await rm(made, { recursive: true });
  await rm(join(folder, "vips-properties.xml"), { force: true });
  return tiles;
}

async function answer(request: ImageRequest): Promise<ImageMessage> {
  if (request.kind === "inspect") return inspect(request);
  if (request.kind === "tiles") return cutTiles(request);
  await import("sharp");
  return { kind: "ready" };
}

process.once("message", (request: ImageRequest) => {
  const work = answer(request);
  const failed = (error: unknown): ImageMessage => {
    const reason = error instanceof Error ? error.message : "unknown";
    return { kind: "failed", reason: reason.slice(0, 300), isBroken: error instanceof BrokenImage };
  };
  void work.catch(failed).then(async (message) => {
    await send(message);
    process.disconnect();
  });
});
// Without its parent the result is useless.
process.once("disconnect", () => process.exit());
