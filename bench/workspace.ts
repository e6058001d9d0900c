/** The workspace: tiles compared with the bare image library in the same run, objects in one command, and the index. */
import { mkdtempSync, rmSync } from "node:fs";
import { open as openFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import sharp from "sharp";
import { systemClock } from "../server/src/base/clock.ts";
import { serve } from "../server/src/assembly/serve.ts";
import { runWorkers } from "../server/src/workers/run-workers.ts";
import { atMost, type Bench, type Row, rowTable } from "./report.ts";

const [width, height] = [4_096, 3_072];
/** Number of files that the peer syncs at the same time, as a publish does. */
const atOnce = 16;
const operatorToken = "the-operator-of-the-workspace-benchmark-0123456789";
const map = { project: "p", map: "m" } as const;
const take = { lock: "take" } as const;

export const workspace: Bench = async (options) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, "data");
  const serving = await serve({ data, host: "127.0.0.1", port: 0, operatorToken, report: () => undefined });
  opened.defer(() => serving.close());
  const client = opened.use(await connect(serving.url, { token: operatorToken }));
  const rootFolders = { main: join(data, "files") };
  opened.use(
    await runWorkers({ client, addresses: [], slots: 1, rootFolders, clock: systemClock, report: () => undefined }),
  );
  await ask(client, "create-project", { project: "p", name: "House", ...take });
  await ask(client, "create-map", { ...map, name: "Ground floor", ...take });
  const rows = [await tilesRow(client, folder, options.isQuick ? 3 : 9)];
  options.report("tiles are measured");
  rows.push(await objectsRow(client, options.isQuick ? 5 : 20));
  rows.push(await hitTestRow(client, options.isQuick ? 500 : 2_000));
  options.report(rowTable(rows, 2));
  return rows;
};

async function ask(client: Client, operation: string, input: object): Promise<Readonly<Record<string, unknown>>> {
  return (await client.run(`workspace.${operation}`, input as never)) as Readonly<Record<string, unknown>>;
}

async function work(client: Client, operation: string, input: object): Promise<void> {
  const { job } = await ask(client, operation, input);
  const { state, error } = await client.jobs.wait(job as string);
  if (state !== "completed") throw new Error(`${operation} ${state}: ${JSON.stringify(error)}`);
}

async function milliseconds(measured: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await measured();
  return performance.now() - startMs;
}

/** From the request of the job to its end, over the library with fsync of every file. */
async function tilesRow(client: Client, folder: string, rounds: number): Promise<Row> {
  // Pixels between uniform and random. A floorplan compresses well, but not completely.
  const pixels = Buffer.from(
    Uint8Array.from({ length: width * height * 3 }, (_, index) => (index >>> 9) ^ (index % 61)),
  );
  const image = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  {
    await using publish = await client.files.publish("import/p/u1");
    await publish.write("plan.png", image);
    await publish.commit();
  }
  await work(client, "import-floorplan", { ...map, upload: "u1", path: "plan.png" });
  const ours = () => work(client, "generate-tiles", map);
  const bare = () => cutBare(image, join(folder, "bare"));
  const figures = { ours: [] as number[], peer: [] as number[] };
  await ours();
  await bare();
  for (let round = 0; round < rounds; round += 1) {
    figures.ours.push(await milliseconds(ours));
    figures.peer.push(await milliseconds(bare));
    await rm(join(folder, "bare"), { recursive: true });
  }
  return atMost("generate-tiles of 4,096 × 3,072, ms, over bare sharp with fsync", figures.ours, figures.peer, 1.25);
}

async function cutBare(image: Buffer, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await sharp(image).png().tile({ size: 256, layout: "google", skipBlanks: -1 }).toFile(folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const left = entries.filter((entry) => entry.isFile()).values();
  const sync = async (): Promise<void> => {
    for (const { parentPath, name } of left) {
      await using file = await openFile(join(parentPath, name), "r");
      await file.sync();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sync));
}

/** A different square for each number. */
function put(number: number): object {
  const [x, y] = [12 * Math.floor(number / 300), 12 * (number % 300)];
  const points = [x, y, x + 10, y, x + 10, y + 10, x, y + 10, x, y];
  return { op: "put", object: `o${String(number)}`, value: { shape: "polygon", points } };
}

async function putMany(client: Client, sketch: string, from: number, count: number): Promise<void> {
  const changes = Array.from({ length: count }, (_, index) => put(from + index));
  await ask(client, "change-objects", { ...map, sketch, changes, ...take });
}

async function objectsRow(client: Client, rounds: number): Promise<Row> {
  await ask(client, "create-sketch", { ...map, sketch: "changed", name: "Changed", ...take });
  const figures = { many: [] as number[], one: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const from = 200 * round;
    figures.many.push((await milliseconds(() => putMany(client, "changed", from, 100))) / 100);
    const singly = async (): Promise<void> => {
      for (let index = 100; index < 120; index += 1) await putMany(client, "changed", from + index, 1);
    };
    figures.one.push((await milliseconds(singly)) / 20);
  }
  return atMost("100 objects in one command, ms per object, over single writes", figures.many, figures.one, 0.5);
}

async function hitTestRow(client: Client, tries: number): Promise<Row> {
  const sizes = { small: 1_000, large: 100_000 } as const;
  for (const [sketch, size] of Object.entries(sizes)) {
    await ask(client, "create-sketch", { ...map, sketch, name: sketch, ...take });
    for (let from = 0; from < size; from += 1_000) await putMany(client, sketch, from, 1_000);
    // The first use loads the index.
    await hitTest(client, sketch, 0);
  }
  const p95 = async (sketch: keyof typeof sizes): Promise<number> => {
    const times: number[] = [];
    for (let index = 0; index < tries; index += 1)
      times.push(await milliseconds(() => hitTest(client, sketch, (index * 7_919) % sizes[sketch])));
    return times.toSorted((a, b) => a - b)[Math.floor(0.95 * tries)] ?? 0;
  };
  await p95("small");
  const [small, large] = [await p95("small"), await p95("large")];
  return atMost("hit-test p95 with 100,000 objects, ms, over 1,000", [large], [small], 2);
}

async function hitTest(client: Client, sketch: string, number: number): Promise<void> {
  const [x, y] = [12 * Math.floor(number / 300) + 5, 12 * (number % 300) + 5];
  const { items } = await ask(client, "hit-test", { ...map, sketch, x, y, tolerance: 1, ...take });
  if ((items as readonly unknown[]).length !== 1) throw new Error(`the object ${String(number)} was not hit`);
}
