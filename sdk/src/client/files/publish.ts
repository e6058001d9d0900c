/** A publish of this program: its files are uploaded in checked parts and become a version all at once. */
import { defined } from "../../base/defined.ts";
import type { CoreClient } from "../core-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { FileOperations, FileVersion } from "../packs/file-operations.ts";

/** The content of a file: text, bytes, or chunks of bytes as they come. */
export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>;

interface PublishParts {
  readonly client: CoreClient;
  readonly opened: FileOperations["open"]["output"];
  /** Ends with the publish, if the publish acquired it. */
  readonly lock: AsyncDisposable | undefined;
  readonly folder: string | undefined;
}

/** Maximum tries to send a part whose reply was lost. A part that arrived twice changes nothing. */
const triesMax = 3;

export class Publish implements AsyncDisposable {
  readonly id: string;
  readonly target: string;
  /** Where a program on the host of the root writes the files itself; undefined if they are sent. */
  readonly folder: string | undefined;
  readonly #parts: PublishParts;
  #isOver = false;
  #committing: Promise<FileVersion> | undefined;

  constructor(parts: PublishParts) {
    this.#parts = parts;
    const { id, target } = parts.opened;
    this.id = id;
    this.target = target;
    this.folder = parts.folder;
  }

  /** Writes a file. Several files may be written at the same time. Resolves when its bytes are durable. */
  async write(path: string, content: FileContent): Promise<void> {
    const { partBytesMax } = this.#parts.opened;
    const name = path.normalize("NFC");
    let offset = 0;
    for await (const part of partsOf(content, partBytesMax)) {
      await this.#send(name, offset, part);
      offset += part.byteLength;
    }
  }

  /** Makes the files the current version of the target. */
  async commit(options: { readonly meta?: Readonly<Record<string, unknown>> } = {}): Promise<FileVersion> {
    const { client, lock } = this.#parts;
    const { id } = this;
    const committing = client.operations.files.commit({ id, ...options });
    this.#committing = committing;
    const version = await committing;
    this.#isOver = true;
    await lock?.[Symbol.asyncDispose]();
    return version;
  }

  /** Ends the publish without a version. It does nothing after a commit. */
  async abort(): Promise<void> {
    // A scope may end while its commit is in flight. If the commit fails, the publish is aborted.
    const isCommitted = await this.#committing?.then(
      () => true,
      () => false,
    );
    if (this.#isOver || isCommitted === true) return;
    this.#isOver = true;
    const { client, lock } = this.#parts;
    try {
      await client.operations.files.abort({ id: this.id });
    } catch (error) {
      // The publish has ended already.
      if (!(error instanceof HoldfastError) || error.code !== "files.publish_unknown") throw error;
    } finally {
      await lock?.[Symbol.asyncDispose]();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  async #send(path: string, offset: number, part: Uint8Array): Promise<void> {
    const sha256 = await digestOf(part);
    const input = defined({ id: this.id, path, offset, sha256 });
    for (let number = 1; ; number += 1) {
      try {
        await this.#parts.client.run("files.upload", input, { body: { [Symbol.asyncIterator]: () => once(part) } });
        return;
      } catch (error) {
        const isLost = error instanceof HoldfastError && error.retry === "same-key";
        if (!isLost || number === triesMax) throw error;
      }
    }
  }
}

async function* once(part: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield part;
}

/** Undefined where the host has no digests: in a page without a secure connection. */
async function digestOf(part: Uint8Array): Promise<string | undefined> {
  const { subtle } = globalThis.crypto as Partial<typeof globalThis.crypto>;
  if (subtle === undefined) return undefined;
  // Digests refuse shared memory.
  const bytes = part.buffer instanceof ArrayBuffer ? (part as Uint8Array<ArrayBuffer>) : new Uint8Array(part);
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The content in parts of a maximum size. An empty file is one empty part. */
async function* partsOf(content: FileContent, bytesMax: number): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof content === "string" || content instanceof Uint8Array) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    for (let at = 0; at === 0 || at < bytes.byteLength; at += bytesMax) yield bytes.subarray(at, at + bytesMax);
    return;
  }
  let part = new Uint8Array(bytesMax);
  let size = 0;
  let count = 0;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.byteLength;) {
      const taken = chunk.subarray(at, at + bytesMax - size);
      part.set(taken, size);
      size += taken.byteLength;
      at += taken.byteLength;
      if (size < bytesMax) continue;
      yield part;
      count += 1;
      part = new Uint8Array(bytesMax);
      size = 0;
    }
  }
  if (size > 0 || count === 0) yield part.subarray(0, size);
}
