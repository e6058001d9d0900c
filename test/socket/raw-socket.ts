/** A socket without the client library, for tests of the protocol. */
import { once } from "node:events";
import type { TestContext } from "node:test";
import { WebSocket } from "ws";
import type { ClientOptions } from "ws";

export type RawMessage = Readonly<Record<string, unknown>>;

export class RawSocket {
  readonly #socket: WebSocket;
  readonly #frames: (readonly RawMessage[])[] = [];
  #wake: (() => void) | undefined;
  /** The close code. Resolves when the socket closes. */
  readonly closed: Promise<number>;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) throw new Error("the server sent a binary frame");
      this.#frames.push(JSON.parse(data.toString("utf8")) as readonly RawMessage[]);
      this.#wake?.();
    });
    this.closed = once(socket, "close").then(([code]) => code as number);
  }

  send(...messages: readonly unknown[]): void {
    this.#socket.send(JSON.stringify(messages));
  }

  sendRaw(data: string | Buffer): void {
    this.#socket.send(data);
  }

  hello(more: RawMessage = {}): void {
    this.send({ kind: "hello", protocol: 1, ...more });
  }

  /** The next frame. */
  async frame(): Promise<readonly RawMessage[]> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) return frame;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** The next message of a kind. Messages before it are dropped. */
  async message(kind: string): Promise<RawMessage> {
    for (;;) {
      const frame = await this.frame();
      const index = frame.findIndex((message) => message["kind"] === kind);
      const found = frame[index];
      if (found === undefined) continue;
      if (index + 1 < frame.length) this.#frames.unshift(frame.slice(index + 1));
      return found;
    }
  }

  /** Stops reading, so that the server's frames accumulate. */
  stopReading(): void {
    this.#socket.pause();
  }

  end(): void {
    this.#socket.terminate();
  }
}

export async function rawSocketFor(t: TestContext, url: string, options: ClientOptions = {}): Promise<RawSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/socket`, options);
  const raw = new RawSocket(socket);
  await once(socket, "open");
  t.after(() => {
    raw.end();
  });
  return raw;
}
