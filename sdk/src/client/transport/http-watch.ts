import type { Notice, NoticeQuery } from "../../contract/notices.ts";
import type { WatchFilter } from "../../contract/watch-filter.ts";
import { defined } from "../../base/defined.ts";
import { httpPages } from "./http-stream.ts";
import type { HttpStreamOptions } from "./http-stream.ts";
import { readJson } from "../../json/read-json.ts";
import { serverSentEvents } from "./server-sent-events.ts";
import type { WatchedEvent, WatchRequest } from "./transport.ts";

/** Events over an event stream, which resumes after the last complete entry. */
export function httpWatch(
  options: HttpStreamOptions,
  { after, onWatching, ...filter }: WatchRequest,
): AsyncIterableIterator<readonly WatchedEvent[]> {
  const progress = { cursor: after };
  return httpPages(options, {
    path: pathOf(filter),
    headers: () => defined({ "last-event-id": progress.cursor }),
    read: (body) => {
      onWatching?.();
      return wholeEntries(body, progress);
    },
    canResume: () => progress.cursor !== undefined,
  });
}

/** Notices over an event stream. Each connection starts with the current state. */
export function httpNotices(
  options: HttpStreamOptions,
  { owner }: NoticeQuery,
): AsyncIterableIterator<readonly Notice[]> {
  let hasBegun = false;
  return httpPages(options, {
    path: `/v1/notices?${new URLSearchParams({ owner }).toString()}`,
    headers: () => ({}),
    async *read(body) {
      hasBegun = true;
      for await (const { data } of serverSentEvents(body)) if (data !== undefined) yield [readJson(data) as Notice];
    },
    canResume: () => hasBegun,
  });
}

/** Only the last event of an entry has an id. Earlier ones are held back, so that none comes twice after a loss. */
async function* wholeEntries(
  body: ReadableStream<Uint8Array>,
  progress: { cursor: string | undefined },
): AsyncGenerator<readonly WatchedEvent[], void, undefined> {
  let page: WatchedEvent[] = [];
  for await (const { id, data } of serverSentEvents(body)) {
    if (data !== undefined) page.push(readJson(data) as unknown as WatchedEvent);
    if (id === undefined) continue;
    progress.cursor = id;
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
