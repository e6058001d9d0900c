/** Maximum bytes of a binary body, unless the operation states another bound. */
const defaultBytesMax = 8 * 1024 * 1024;

/**
 * The body of a call, cut off at the bound of its operation. Nothing is read before the operation asks for it, and
 * nothing is kept. So the bound protects the store behind the operation and not the memory of the server.
 */
export class BoundedBody implements AsyncIterable<Uint8Array> {
  readonly bytesMax: number;
  readonly #source: AsyncIterable<Uint8Array>;
  #bytes = 0;

  constructor(source: AsyncIterable<Uint8Array> | undefined, bytesMax = defaultBytesMax) {
    this.#source = source ?? noChunks();
    this.bytesMax = bytesMax;
  }

  get isExceeded(): boolean {
    return this.#bytes > this.bytesMax;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of this.#source) {
      this.#bytes += chunk.byteLength;
      if (this.isExceeded) throw new Error(`the body has more than ${String(this.bytesMax)} bytes`);
      yield chunk;
    }
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array, void, undefined> {
  // A call without a body has an empty one.
}
