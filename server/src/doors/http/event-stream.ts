import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { Clock } from "../../base/clock.ts";
import { httpLimits } from "./limits.ts";
import type { Pace } from "../pace.ts";
import { plainHeaders } from "./send.ts";

export interface StreamOptions<Item> {
  readonly response: ServerResponse;
  readonly pages: AsyncIterableIterator<readonly Item[]>;
  /** The first page was asked for already, to hear of a cursor that is none before the answer begins. */
  readonly first: Promise<IteratorResult<readonly Item[]>>;
  readonly bytesOf: (page: readonly Item[]) => Buffer;
  readonly clock: Clock;
  /** What is paced waits for it after each page. */
  readonly pace?: Pace;
}

/** Takes an answer over from Fastify and begins an event stream with it. */
export function beginStream(reply: FastifyReply, firstFields: string): ServerResponse {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...plainHeaders,
    "content-type": "text/event-stream; charset=utf-8",
    // For proxies that would wait for more before they pass anything on.
    "x-accel-buffering": "no",
  });
  reply.raw.write(`retry: 1000\n${firstFields}\n`);
  return reply.raw;
}

/**
 * Writes pages as they come. The next one is asked for when the last one has left and the pace allows it, so nothing piles
 * up here: a slow reader costs its own reading from the journal, and one that takes nothing at all is cut off.
 */
export class EventStream<Item> {
  readonly #options: StreamOptions<Item>;
  #isOver = false;
  #stopBeating: () => void = () => undefined;

  constructor(options: StreamOptions<Item>) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { response, pages, pace, bytesOf } = this.#options;
    response.once("close", () => {
      this.stop();
    });
    this.#beat();
    try {
      for (let page = await this.#options.first; page.done !== true; page = await pages.next()) {
        if (!response.write(bytesOf(page.value))) await this.#drained();
        await pace?.wait();
        if (this.#isOver) break;
      }
    } catch {
      // The history is lost, or the right to read it. Whoever comes back with its cursor is told by the status.
    }
    this.stop();
    response.end();
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopBeating();
    void this.#options.pages.return?.();
  }

  /** Comments keep the connection open through whatever closes idle ones, and tell a reader that it is. */
  #beat(): void {
    const { response, clock } = this.#options;
    this.#stopBeating = clock.after(
      httpLimits.heartbeatMs,
      () => {
        if (!response.writableNeedDrain) response.write(": still here\n\n");
        this.#beat();
      },
      { keepAlive: false },
    );
  }

  #drained(): Promise<void> {
    const { response, clock } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.after(httpLimits.stalledMs, () => response.destroy(), { keepAlive: false });
      const end = (): void => {
        cancel();
        response.off("drain", end).off("close", end);
        resolve();
      };
      response.once("drain", end).once("close", end);
    });
  }
}
