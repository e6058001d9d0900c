import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { Clock } from "../../../base/clock.ts";
import type { LongResponses } from "./long-responses.ts";
import { hasDisconnected, onDisconnect } from "../request/disconnect.ts";
import { httpLimits } from "../limits.ts";
import type { Pace } from "../../pace.ts";
import { plainHeaders } from "./send.ts";

interface StreamOptions<Item> {
  readonly pages: AsyncIterableIterator<readonly Item[]>;
  readonly bytesOf: (page: readonly Item[]) => Buffer;
  readonly clock: Clock;
  /** A paced stream waits for this after each page. */
  readonly pace?: Pace;
}

interface Opening<Item> extends Omit<StreamOptions<Item>, "pages"> {
  readonly open: () => StreamOptions<Item>["pages"];
  readonly longResponses: LongResponses;
  /** Sent before the first page. */
  readonly firstFields: string;
  /** Time for a refusal to become the status of the response. Then the stream starts even without a page. */
  readonly refusalWindow: Promise<void>;
}

/** Answers with an event stream if the client is still connected. */
export async function answerWithStream<Item>(reply: FastifyReply, opening: Opening<Item>): Promise<void> {
  const { open, longResponses, firstFields, refusalWindow } = opening;
  const response = reply.raw;
  if (hasDisconnected(response)) return void reply.hijack();
  const stream = new EventStream(response, { ...opening, pages: open() });
  const unregister = longResponses.add(() => {
    stream.stop();
  });
  try {
    await Promise.race([stream.first, refusalWindow]);
  } catch (error) {
    unregister();
    throw error;
  }
  reply.hijack();
  // The client disconnected in the meantime, and its pages have ended.
  if (hasDisconnected(response)) {
    unregister();
    return;
  }
  begin(response, firstFields);
  void stream.run().finally(unregister);
}

function begin(response: ServerResponse, firstFields: string): void {
  response.writeHead(200, {
    ...plainHeaders,
    "content-type": "text/event-stream; charset=utf-8",
    // For proxies that would buffer the stream.
    "x-accel-buffering": "no",
  });
  response.write(`retry: 1000\n${firstFields}\n`);
}

/**
 * Writes pages as they arrive. The next page is read when the last one has been written and the pace allows it, so
 * nothing accumulates here. A slow reader costs its own reads of the journal, and one that reads nothing is
 * disconnected.
 */
export class EventStream<Item> {
  /** Read at once, so that an invalid cursor is refused before the response starts. */
  readonly first: Promise<IteratorResult<readonly Item[]>>;
  readonly #response: ServerResponse;
  readonly #options: StreamOptions<Item>;
  #isOver = false;
  #stopHeartbeat: () => void = () => undefined;

  constructor(response: ServerResponse, options: StreamOptions<Item>) {
    this.#response = response;
    this.#options = options;
    this.first = options.pages.next();
    // From here on, not from the first page: a reader that disconnects before it would keep its watch forever.
    onDisconnect(response, () => {
      this.stop();
    });
  }

  async run(): Promise<void> {
    const response = this.#response;
    const { pages, pace, bytesOf } = this.#options;
    if (!this.#isOver) this.#startHeartbeat();
    try {
      for (let page = await this.first; page.done !== true; page = await pages.next()) {
        if (!response.write(bytesOf(page.value))) await this.#drained();
        await pace?.wait();
        if (this.#isOver) break;
      }
    } catch {
      // The history is lost, or the right to read it. A reconnect with the cursor gets the status.
    }
    this.stop();
    response.end();
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopHeartbeat();
    void this.#options.pages.return?.();
  }

  /** Comments keep the connection open through proxies that close idle ones, and show that the server is alive. */
  #startHeartbeat(): void {
    const response = this.#response;
    this.#stopHeartbeat = this.#options.clock.after(
      httpLimits.heartbeatMs,
      () => {
        if (!response.writableNeedDrain) response.write(": heartbeat\n\n");
        this.#startHeartbeat();
      },
      { keepAlive: false },
    );
  }

  #drained(): Promise<void> {
    const response = this.#response;
    // A page was being written when the reader disconnected: no drain event follows, and the close event is not
    // repeated.
    if (hasDisconnected(response)) return Promise.resolve();
    return new Promise((resolve) => {
      const disconnect = (): void => void response.destroy();
      const cancel = this.#options.clock.after(httpLimits.stalledMs, disconnect, { keepAlive: false });
      const end = (): void => {
        cancel();
        response.off("drain", end).off("close", end);
        resolve();
      };
      response.once("drain", end).once("close", end);
    });
  }
}
