/** The messages between a worker and its child process for images. */
import type { ImageFormat } from "./image-format.ts";

export const imageLimits = {
  /** Maximum pixels of an image. A small file can have many: 600 KB are enough for 200 million. */
  pixelsMax: 100_000_000,
  /** Maximum width and height. */
  sideMax: 100_000,
  /** Maximum time of the process for one image. A damaged image could make the library hang. */
  workMs: 600_000,
  /** Maximum bytes of an uploaded image. */
  bytesMax: 512 * 1024 * 1024,
} as const;

/** Whether the image library can be loaded. */
interface ProbeRequest {
  readonly kind: "probe";
}

interface InspectRequest {
  readonly kind: "inspect";
  readonly file: string;
  readonly format: ImageFormat;
}

interface TilesRequest {
  readonly kind: "tiles";
  readonly file: string;
  readonly format: ImageFormat;
  /** An empty folder. */
  readonly folder: string;
  readonly tileSize: number;
}

export type ImageRequest = ProbeRequest | InspectRequest | TilesRequest;

/** The size of an image as a viewer shows it. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** A set of tiles: level 0 is one tile, and each further level has twice the size. */
export interface TileSet extends ImageSize {
  readonly tileSize: number;
  readonly levels: number;
  readonly tiles: number;
}

export type ImageMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly done: number; readonly total: number }
  | { readonly kind: "inspected"; readonly size: ImageSize }
  | { readonly kind: "tiled"; readonly set: TileSet }
  /** `isBroken` says that the image is at fault, so that a retry would fail too. */
  | { readonly kind: "failed"; readonly reason: string; readonly isBroken: boolean };

/** The number of levels and of tiles of an image. */
export function tileSetOf({ width, height }: ImageSize, tileSize: number): TileSet {
  let levels = 1;
  while (tileSize * 2 ** (levels - 1) < Math.max(width, height)) levels += 1;
  let tiles = 0;
  for (let level = 0; level < levels; level += 1) tiles += columnsAt(width, level) * columnsAt(height, level);
  return { width, height, tileSize, levels, tiles };

  function columnsAt(side: number, level: number): number {
    return Math.ceil(side / (tileSize * 2 ** (levels - 1 - level)));
  }
}
