/** Tiles of known pictures, compared pixel by pixel with tiles that this file cuts itself, and hostile images. */
import assert from "node:assert/strict";
import { constants } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { imageFormat } from "../../server/src/workers/workspace/image-format.ts";
import type { ImageFormat } from "../../server/src/workers/workspace/image-format.ts";
import { tileSetOf } from "../../server/src/workers/workspace/image-message.ts";
import type { TileSet } from "../../server/src/workers/workspace/image-message.ts";
import { ImageFault, runImageChild } from "../../server/src/workers/workspace/run-image-child.ts";
import { execChildSync } from "../scenario/spawn-child.ts";
import { decodePng, encodePng, pngHeader } from "./plain-png.ts";
import type { Picture } from "./plain-png.ts";

interface ImageFolder extends AsyncDisposable {
  readonly folder: string;
  /** The path of a new file. */
  write(name: string, bytes: Uint8Array | string): Promise<string>;
}

async function imageFolder(): Promise<ImageFolder> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-tiles-"));
  return {
    folder,
    async write(name, bytes) {
      await writeFile(join(folder, name), bytes);
      return join(folder, name);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const notAborted = new AbortController().signal;

/** A picture in which no two neighbours are equal. */
function noise(width: number, height: number): Picture {
  const pixels = new Uint8Array(width * height * 3);
  let seed = 7;
  for (let index = 0; index < pixels.length; index += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    pixels[index] = seed >>> 24;
  }
  return { width, height, channels: 3, pixels };
}

type Pixel = (x: number, y: number, channel: number) => number;

const white = 255;

/** The plain way to a smaller level: the mean of four pixels. Beyond the edge the picture is white. */
function levelsOf({ width, height, pixels }: Picture, levels: number): readonly Pixel[] {
  let [w, h] = [width, height];
  let finest: Pixel = (x, y, c) => (x < width && y < height ? (pixels[(y * width + x) * 3 + c] ?? 0) : white);
  const all = [finest];
  for (let level = 1; level < levels; level += 1) {
    const from = finest;
    [w, h] = [Math.ceil(w / 2), Math.ceil(h / 2)];
    const [columns, rows] = [w, h];
    const smaller = new Uint8Array(columns * rows * 3);
    for (let y = 0; y < rows; y += 1)
      for (let x = 0; x < columns; x += 1)
        for (let c = 0; c < 3; c += 1) {
          const [a, b] = [from(2 * x, 2 * y, c), from(2 * x + 1, 2 * y, c)];
          const sum = a + b + from(2 * x, 2 * y + 1, c) + from(2 * x + 1, 2 * y + 1, c);
          smaller[(y * columns + x) * 3 + c] = (sum + 2) >> 2;
        }
    finest = (x, y, c) => (x < columns && y < rows ? (smaller[(y * columns + x) * 3 + c] ?? 0) : white);
    all.unshift(finest);
  }
  return all;
}

async function cut(file: string, folder: string, tileSize: number): Promise<TileSet> {
  await mkdir(folder);
  const result = await runImageChild({ kind: "tiles", file, format: "png", folder, tileSize }, { signal: notAborted });
  assert.equal(result.kind, "tiled");
  return result.set;
}

/** Compares every pixel of every tile. Returns the number of tiles. */
async function compareTiles(picture: Picture, folder: string, { tileSize, levels }: TileSet): Promise<number> {
  const plain = levelsOf(picture, levels);
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".png"));
  for (const name of names) {
    const [level = 0, column = 0, row = 0] = name.replace(".png", "").split("/").map(Number);
    const tile = decodePng(await readFile(join(folder, name)));
    assert.deepEqual([tile.width, tile.height], [tileSize, tileSize], name);
    const expected = plain[level] ?? assert.fail(`no level ${String(level)}`);
    for (let y = 0; y < tileSize; y += 1)
      for (let x = 0; x < tileSize; x += 1)
        for (let c = 0; c < 3; c += 1) {
          const found = tile.pixels[(y * tileSize + x) * tile.channels + c];
          const wanted = expected(column * tileSize + x, row * tileSize + y, c);
          if (found !== wanted)
            assert.fail(`${name} at ${String(x)},${String(y)},${String(c)}: ${String(found)}, not ${String(wanted)}`);
        }
  }
  return names.length;
}

test("tiles of a known picture equal those of a plain implementation in every pixel, also at odd edges", async () => {
  await using images = await imageFolder();
  for (const [width, height, tileSize] of [
    [601, 403, 256],
    [512, 512, 128],
    [100, 70, 256],
    [1, 1, 64],
    [65, 1, 64],
  ] as const) {
    const picture = noise(width, height);
    const name = `${String(width)}x${String(height)}`;
    const file = await images.write(`${name}.png`, encodePng(picture));
    const folder = join(images.folder, name);
    const set = await cut(file, folder, tileSize);
    assert.deepEqual(set, tileSetOf(picture, tileSize));
    assert.equal(await compareTiles(picture, folder, set), set.tiles, name);
    assert.deepEqual(
      (await readdir(folder)).toSorted(),
      Array.from({ length: set.levels }, (_none, level) => String(level)),
      "nothing else is published",
    );
  }
});

test("an image that is all white has all its tiles", async () => {
  await using images = await imageFolder();
  const picture: Picture = { width: 300, height: 300, channels: 3, pixels: new Uint8Array(300 * 300 * 3).fill(white) };
  const file = await images.write("white.png", encodePng(picture));
  const set = await cut(file, join(images.folder, "tiles"), 256);
  assert.equal(await compareTiles(picture, join(images.folder, "tiles"), set), 5);
});

test("an image is inspected whole: half a file, a foreign format and too many pixels are refused as broken", async () => {
  await using images = await imageFolder();
  const whole = encodePng(noise(400, 300));
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>';
  const inspected = async (name: string, bytes: Uint8Array | string, format: ImageFormat = "png") =>
    runImageChild({ kind: "inspect", file: await images.write(name, bytes), format }, { signal: notAborted });
  assert.deepEqual(await inspected("a.png", whole), { kind: "inspected", size: { width: 400, height: 300 } });
  const bomb = Buffer.concat([pngHeader(20_000, 10_000, 3), whole.subarray(33)]);
  const wide = Buffer.concat([pngHeader(200_000, 10, 3), whole.subarray(33)]);
  const hostile: readonly (readonly [string, Uint8Array | string, RegExp])[] = [
    ["half.png", whole.subarray(0, whole.length >> 1), /png|truncat|end of|read/iu],
    ["empty.png", "", /./u],
    ["noise.png", Buffer.from(noise(20, 20).pixels), /unsupported/u],
    ["svg.png", svg, /unsupported/u],
    ["bomb.png", bomb, /more than 100000000 pixels/u],
    ["wide.png", wide, /more than 100000 pixels/u],
    ["gif.png", Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=", "base64"), /unsupported/u],
  ];
  for (const [name, bytes, reason] of hostile)
    await assert.rejects(inspected(name, bytes), (error) => {
      assert.ok(error instanceof ImageFault, `${name}: ${String(error)}`);
      assert.match(error.message, reason, name);
      return true;
    });
  await assert.rejects(inspected("wrong.png", whole, "jpeg"), /its content is png, and its first bytes are jpeg/u);
  assert.deepEqual(
    [
      whole,
      svg,
      "GIF89a",
      "II*\u0000",
      "MM\u0000*",
      "RIFF....WEBPVP8 ",
      "\u00ff\u00d8\u00ff\u00e0",
      "RIFF....WAVE",
    ].map((bytes) => imageFormat(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes)),
    ["png", undefined, undefined, "tiff", "tiff", "webp", "jpeg", undefined],
  );
});

test("an abort kills the process of an image, and its promise rejects with the reason", async () => {
  await using images = await imageFolder();
  const file = await images.write("large.png", encodePng(noise(3_000, 3_000)));
  const folder = join(images.folder, "tiles");
  await mkdir(folder);
  const controller = new AbortController();
  const reason = new Error("the job was cancelled");
  const work = runImageChild(
    { kind: "tiles", file, format: "png", folder, tileSize: 64 },
    {
      signal: controller.signal,
      onProgress: () => {
        controller.abort(reason);
      },
    },
  );
  await assert.rejects(work, reason);
  await rm(folder, { recursive: true });
  const early = runAborted(file, folder, reason);
  assert.throws(early, reason);
});

function runAborted(file: string, folder: string, reason: Error): () => unknown {
  const request = { kind: "tiles", file, format: "png", folder, tileSize: 64 } as const;
  return () => runImageChild(request, { signal: AbortSignal.abort(reason) });
}

test("a process for images that hangs is killed at its time limit, and the error names the limit [X15]", async () => {
  await using images = await imageFolder();
  const file = join(images.folder, "endless.png");
  // A pipe without a writer: the library waits for its first byte forever.
  execChildSync("mkfifo", [file]);
  const run = { signal: notAborted, limitMs: 1_500 };
  await assert.rejects(
    runImageChild({ kind: "inspect", file, format: "png" }, run),
    /did not finish inspect in 1\.5 seconds and was killed: retry the job on a faster host/u,
  );
  // Without a reader, a pipe cannot be opened for writing.
  await assert.rejects(open(file, constants.O_WRONLY | constants.O_NONBLOCK), { code: "ENXIO" });
});
