import type { WatchFilter } from "../contract/watch-filter.ts";
import type { HttpOptions } from "./http-options.ts";
import { HoldfastError } from "./holdfast-error.ts";
import { sentEvents } from "./server-sent-events.ts";
import type { WatchedEvent } from "./transport.ts";

type Page = readonly WatchedEvent[];

export interface HttpWatchPlace extends HttpOptions {
  /** Asks for a page; whatever is wrong is thrown as a HoldfastError. */
  readonly get: (path: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal;
}

const delayMs = 200;

/** Events over an event stream, which is asked for again where it broke off: after the last whole entry. */
export function watchOverHttp(
  place: HttpWatchPlace,
  wanted: WatchFilter & { readonly after?: string },
): AsyncIterableIterator<Page> {
  const stopping = new AbortController();
  const ended = AbortSignal.any([place.closing, stopping.signal]);
  const pages = pagesOf(place, pathOf(wanted), wanted.after, ended);
  return {
    next: () => pages.next(),
    async return() {
      // First, because a generator that waits for the network hears of nothing else.
      stopping.abort();
      return pages.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* pagesOf(
  place: HttpWatchPlace,
  path: string,
  after: string | undefined,
  ended: AbortSignal,
): AsyncGenerator<Page, undefined, undefined> {
  const { get, clock, reconnectMs } = place;
  const trail = { cursor: after };
  let lostAtMs: number | undefined;
  while (!isOver(ended)) {
    try {
      const last: Record<string, string> = trail.cursor === undefined ? {} : { "last-event-id": trail.cursor };
      const { body } = await get(path, { accept: "text/event-stream", ...last }, ended);
      lostAtMs = undefined;
      if (body !== null) yield* wholeEntries(body, trail);
    } catch (error) {
      if (isOver(ended)) return undefined;
      lostAtMs ??= clock.monotonicMs();
      // One that never began to watch knows no place to go on from, and is better told at once.
      if (trail.cursor === undefined || !isLoss(error) || clock.monotonicMs() - lostAtMs > reconnectMs) throw error;
    }
    await pause(place);
  }
  return undefined;
}

/** Only the last event of an entry has an id; those before it are held back, so that after a loss none comes twice. */
async function* wholeEntries(
  body: ReadableStream<Uint8Array>,
  trail: { cursor: string | undefined },
): AsyncGenerator<Page, void, undefined> {
  let page: WatchedEvent[] = [];
  for await (const { id, data } of sentEvents(body)) {
    if (data !== undefined) page.push(JSON.parse(data) as WatchedEvent);
    if (id === undefined) continue;
    trail.cursor = id;
    if (page.length > 0) yield page;
    page = [];
  }
}

function pathOf({ names = [], subject, owner }: WatchFilter): string {
  const query = new URLSearchParams(names.map((name): [string, string] => ["names", name]));
  if (subject !== undefined) query.set("subject", subject);
  if (owner !== undefined) query.set("owner", owner);
  return `/v1/events?${query.toString()}`;
}

/** Whether only the connection is to blame. */
function isLoss(error: unknown): boolean {
  return !(error instanceof HoldfastError) || error.code === "unreachable" || error.code === "stopping";
}

function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

function pause({ clock }: HttpWatchPlace): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs * (0.5 + clock.random()), resolve, { keepAlive: true }));
}
