import { pause } from "../../base/pause.ts";
import type { HttpOptions } from "./http-options.ts";
import { HoldfastError } from "../holdfast-error.ts";

export interface HttpStreamOptions extends HttpOptions {
  /** Requests a page. Every error is thrown as a HoldfastError. */
  readonly get: (path: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal;
}

/** An event stream: its request and how its messages are read. */
interface HttpStream<Page> {
  readonly path: string;
  /** The headers of a request, which may depend on earlier messages. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly read: (body: ReadableStream<Uint8Array>) => AsyncGenerator<Page, void, undefined>;
  /** Whether the stream can resume. A stream that never began has no cursor, so its error is reported at once. */
  readonly canResume: () => boolean;
}

const reconnectDelayMs = 200;

/** Pages of an event stream, which is requested again after it breaks. */
export function httpPages<Page>(options: HttpStreamOptions, stream: HttpStream<Page>): AsyncIterableIterator<Page> {
  const stopping = new AbortController();
  const ended = AbortSignal.any([options.closing, stopping.signal]);
  const pages = pagesOf(options, stream, ended);
  return {
    next: () => pages.next(),
    async return() {
      // First, because a generator that waits for the network cannot react to anything else.
      stopping.abort();
      return pages.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* pagesOf<Page>(
  options: HttpStreamOptions,
  stream: HttpStream<Page>,
  ended: AbortSignal,
): AsyncGenerator<Page, undefined, undefined> {
  const { get, clock, reconnectMs } = options;
  let lostAtMs: number | undefined;
  while (!isOver(ended)) {
    try {
      const { body } = await get(stream.path, { accept: "text/event-stream", ...stream.headers() }, ended);
      lostAtMs = undefined;
      if (body !== null) yield* stream.read(body);
    } catch (error) {
      if (isOver(ended)) return undefined;
      lostAtMs ??= clock.monotonicMs();
      if (!stream.canResume() || !isConnectionLoss(error) || clock.monotonicMs() - lostAtMs > reconnectMs) throw error;
    }
    await pause(clock, reconnectDelayMs * (0.5 + clock.random()));
  }
  return undefined;
}

/** Whether the error concerns only the connection. */
function isConnectionLoss(error: unknown): boolean {
  return !(error instanceof HoldfastError) || error.code === "unreachable" || error.code === "stopping";
}

function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
