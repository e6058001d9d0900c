import { createHash } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunOutcome } from "../../server/src/app/calls/run-outcome.ts";
import { done, refusal } from "../../server/src/machine/refusal.ts";

/** Files in a folder, written and read in chunks. It counts the bytes and keeps the handles that are open. */
export class StoredFiles implements AsyncDisposable {
  readonly #folder: string;
  readonly #files = new Map<string, { readonly bytes: number; readonly hash: string }>();
  readonly handles = new Set<FileHandle>();
  received = 0;
  /** Number of streams that were opened to be read. */
  openCount = 0;
  sent = 0;
  /** The largest resident set of this process that was seen during transfers. */
  peakBytes = 0;
  #sampledAt = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async make(): Promise<StoredFiles> {
    return new StoredFiles(await mkdtemp(join(tmpdir(), "holdfast-streams-")));
  }

  async store(name: string, body: AsyncIterable<Uint8Array> | undefined): Promise<RunOutcome> {
    const hash = createHash("sha256");
    let bytes = 0;
    await using handle = await this.#open(name, "w");
    for await (const chunk of body ?? []) {
      this.received += chunk.byteLength;
      this.#sample();
      bytes += chunk.byteLength;
      hash.update(chunk);
      await handle.file.write(chunk);
    }
    const stored = { bytes, hash: hash.digest("hex") };
    this.#files.set(name, stored);
    return done(stored);
  }

  read(name: string): RunOutcome {
    const stored = this.#files.get(name);
    if (stored === undefined) return refusal("entity_not_found", {});
    const facts = { contentType: "application/x-test", length: stored.bytes, etag: stored.hash.slice(0, 8) };
    const whole = { start: 0, end: stored.bytes };
    return { ...done({}), stream: { ...facts, open: (range = whole) => this.#opened(name, range) } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  #opened(name: string, range: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array> {
    this.openCount += 1;
    return this.#chunks(name, range);
  }

  async *#chunks(name: string, { start, end }: { readonly start: number; readonly end: number }) {
    await using handle = await this.#open(name, "r");
    for (let at = start; at < end;) {
      const buffer = Buffer.allocUnsafe(Math.min(64 * 1024, end - at));
      const { bytesRead } = await handle.file.read(buffer, 0, buffer.length, at);
      at += bytesRead;
      this.sent += bytesRead;
      this.#sample();
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Every 4 MiB, because the figure costs a system call. */
  #sample(): void {
    const bytes = this.received + this.sent;
    if (bytes - this.#sampledAt < 4 * 1024 * 1024) return;
    this.#sampledAt = bytes;
    this.peakBytes = Math.max(this.peakBytes, process.memoryUsage.rss());
  }

  async #open(name: string, flags: "r" | "w"): Promise<AsyncDisposable & { readonly file: FileHandle }> {
    const file = await open(join(this.#folder, name), flags);
    this.handles.add(file);
    return {
      file,
      [Symbol.asyncDispose]: async () => {
        await file.close();
        this.handles.delete(file);
      },
    };
  }
}
