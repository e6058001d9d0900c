/** Publishing files, compared with the bare system calls in the same run. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, open as openFile, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";
import { connect, open } from "holdfast";
import type { Client } from "holdfast";
import { serve } from "../server/src/assembly/serve.ts";
import { atLeast, atMost, type Bench, type Row, rowTable } from "./report.ts";

const fileBytes = 10_000;
const filesOfMany = 200;
/** Number of files that each side writes at the same time. */
const atOnce = 16;
const publishersAtOnce = 64;
const uploadBytes = 32 * 1024 * 1024;
const partBytes = 8 * 1024 * 1024;
const operatorToken = "the-operator-of-the-files-benchmark-0123456789";

export const files: Bench = async (options) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const client = opened.use(await open(join(folder, "data")));
  const byHand = new HandPublisher(join(folder, "hand"));
  const rounds = options.isQuick ? 5 : 15;
  const rows: Row[] = [
    await oneFileRow(client, byHand, rounds),
    await manyFilesRow(client, byHand, rounds),
    await publishersRow(client, rounds),
  ];
  options.report("publishes in process are measured");
  rows.push(await uploadRow(folder, rounds));
  options.report(rowTable(rows, 2));
  return rows;
};

/** The same files with the calls that durability needs: write, fsync, rename, fsync of the folders. */
class HandPublisher {
  readonly #folder: string;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async publish(count: number): Promise<void> {
    this.#count += 1;
    const staged = join(this.#folder, `tmp-${String(this.#count)}`);
    await mkdir(staged, { recursive: true });
    await inGroups(count, (index) => writeDurably(join(staged, String(index)), content));
    await syncFolder(staged);
    await rename(staged, join(this.#folder, `v-${String(this.#count)}`));
    await syncFolder(this.#folder);
  }
}

const content = Buffer.alloc(fileBytes, "x");

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await openFile(path, "wx");
  await file.writeFile(bytes);
  await file.sync();
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await openFile(path, "r");
  await folder.sync();
}

async function inGroups(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const left = Array.from({ length: count }, (_, index) => index).values();
  const run = async (): Promise<void> => {
    for (const index of left) await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, run));
}

async function publish(client: Client, target: string, count: number): Promise<void> {
  await using publishing = await client.files.publish(target);
  await inGroups(count, (index) => publishing.write(String(index), content));
  await publishing.commit();
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1_000;
}

/** Ours and the peer's in turn. */
async function inTurn(rounds: number, ours: () => Promise<unknown>, peer: () => Promise<unknown>) {
  const figures = { ours: [] as number[], peer: [] as number[] };
  await ours();
  await peer();
  for (let round = 0; round < rounds; round += 1) {
    figures.ours.push(await seconds(ours));
    figures.peer.push(await seconds(peer));
  }
  return figures;
}

async function oneFileRow(client: Client, byHand: HandPublisher, rounds: number): Promise<Row> {
  const { ours, peer } = await inTurn(
    rounds * 4,
    () => publish(client, "bench/one", 1),
    () => byHand.publish(1),
  );
  return atMost("publish of one file of 10 KB, s, over the calls by hand", ours, peer, 3.5);
}

async function manyFilesRow(client: Client, byHand: HandPublisher, rounds: number): Promise<Row> {
  const { ours, peer } = await inTurn(
    rounds,
    () => publish(client, "bench/many", filesOfMany),
    () => byHand.publish(filesOfMany),
  );
  return atMost("publish of 200 files of 10 KB, s, over the calls by hand", ours, peer, 1.3);
}

async function publishersRow(client: Client, rounds: number): Promise<Row> {
  const targets = Array.from({ length: publishersAtOnce }, (_, index) => `bench/of-${String(index)}`);
  const { ours, peer } = await inTurn(
    rounds,
    () => Promise.all(targets.map((target) => publish(client, target, 1))),
    () => publish(client, "bench/alone", 1),
  );
  const perSecond = (times: readonly number[], count: number): readonly number[] => times.map((time) => count / time);
  const [many, one] = [perSecond(ours, publishersAtOnce), perSecond(peer, 1)];
  return atLeast("64 publishers at once, publishes/s, over one alone", many, one, 4);
}

/** A file in parts over HTTP, hashed and synced, over a bare server that streams the same bytes to a file. */
async function uploadRow(folder: string, rounds: number): Promise<Row> {
  const data = join(folder, "served");
  await using opened = new AsyncDisposableStack();
  const serving = await serve({ data, host: "127.0.0.1", port: 0, operatorToken, report: () => undefined });
  opened.defer(() => serving.close());
  const client = opened.use(await connect(serving.url, { token: operatorToken, transport: "http" }));
  const bare = await bareServer(folder);
  opened.defer(() => bare.close());
  const bytes = Buffer.alloc(uploadBytes, "x");
  const upload = async (): Promise<void> => {
    await using publishing = await client.files.publish("bench/upload");
    await publishing.write("big", bytes);
    await publishing.commit();
  };
  const stream = async (): Promise<void> => {
    for (let at = 0; at < uploadBytes; at += partBytes) await bare.send(bytes.subarray(at, at + partBytes), at);
  };
  const { ours, peer } = await inTurn(rounds, upload, stream);
  const perSecond = (times: readonly number[]): readonly number[] => times.map((time) => uploadBytes / 1e6 / time);
  return atLeast("upload over HTTP, MB/s, over a bare Fastify with fsync", perSecond(ours), perSecond(peer), 0.5);
}

interface BareServer {
  send(part: Uint8Array, at: number): Promise<void>;
  close(): Promise<void>;
}

async function bareServer(folder: string): Promise<BareServer> {
  const app = fastify({ bodyLimit: partBytes });
  app.addContentTypeParser("application/octet-stream", (_request, payload, done) => {
    done(null, payload);
  });
  app.put<{ Querystring: { readonly at: string } }>("/", async ({ body, query: { at } }) => {
    const hash = createHash("sha256");
    await using file = await openFile(join(folder, "bare"), at === "0" ? "w" : "r+");
    let position = Number(at);
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      await file.write(chunk, 0, chunk.byteLength, position);
      position += chunk.byteLength;
    }
    await file.sync();
    return { digest: hash.digest("hex") };
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    async send(part, at) {
      const headers = { "content-type": "application/octet-stream" };
      const answer = await fetch(`${url}/?at=${String(at)}`, { method: "PUT", headers, body: Buffer.from(part) });
      await answer.json();
    },
    close: () => app.close(),
  };
}
