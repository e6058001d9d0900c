/**
 * The audit file: a copy of the audit trail as lines of JSON, in the order of the journal. The journal is the audit log.
 * The file follows it and catches up after an outage, without a gap and without a repeat.
 */
import { join } from "node:path";
import { pause } from "@holdfast/sdk/base/pause";
import type { Clock } from "../../base/clock.ts";
import type { ServiceFactory } from "../service.ts";
import { auditFileName } from "./audit-folder.ts";
import type { AuditCursor, AuditEntry } from "./audit-line.ts";
import { AuditWriter } from "./audit-writer.ts";
import type { AuditWriterOptions } from "./audit-writer.ts";

/** Entries of the audit trail, and the position up to which the journal was read. */
interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly position: number;
}

/** The journal for the audit file. */
interface AuditFeed {
  /** Pages of entries after a position, then new ones as they become durable. */
  pages(after: number): AsyncIterableIterator<AuditPage>;
  /** The last position that the journal shares with the history of a line; undefined for an unknown epoch. */
  lastCommon(line: AuditCursor): Promise<number | undefined>;
  currentEpoch(): Promise<number>;
  head(): number;
}

interface AuditFileOptions extends Omit<AuditWriterOptions, "report"> {
  readonly feed: AuditFeed;
  /** Takes the folder, if several processes could write to it. Returns how to release it. */
  readonly own?: () => Promise<() => void>;
}

/** Interval between two writes while the file is near the head: one write for all entries of the time between. */
const writeIntervalMs = 100;
/** Maximum lag in entries at which the file is near the head. */
const nearLagMax = 1_000;

export function auditFile({ feed, own, ...options }: AuditFileOptions): ServiceFactory {
  return ({ clock, report, fail }) => {
    const path = join(options.folder, auditFileName);
    let position = 0;
    let stop = new AbortController();
    let following: Promise<boolean> = Promise.resolve(false);
    let writer: AuditWriter | undefined;
    let release: () => void = () => undefined;

    const writePage = async (to: AuditWriter, page: AuditPage): Promise<void> => {
      await to.append(page.entries);
      position = page.position;
    };
    const lag = (): number => Math.max(0, feed.head() - position);

    /** Resolves to true when it was stopped, and to false when it failed. */
    const follow = async (to: AuditWriter): Promise<boolean> => {
      try {
        position = await resumePosition(to, { feed, path, signal: stop.signal });
        const pages = feed.pages(position);
        const end = endOnAbort(pages, stop.signal);
        try {
          for (;;) {
            const page = await nextPage(to, pages, clock);
            if (page.done === true) break;
            await writePage(to, page.value);
            if (lag() < nearLagMax) await pause(clock, writeIntervalMs, { keepAlive: false, signal: stop.signal });
          }
        } finally {
          end();
        }
        return true;
      } catch (error) {
        fail(error);
        return false;
      }
    };

    return {
      name: "audit-file",
      async start() {
        stop = new AbortController();
        release = (await own?.()) ?? release;
        writer = await AuditWriter.open({ ...options, report });
        position = writer.last?.position ?? 0;
        following = follow(writer);
      },
      async stop() {
        stop.abort();
        const isWhole = await following;
        try {
          // After an orderly stop the file is complete, unless it was far behind.
          if (isWhole && writer !== undefined && lag() > 0 && lag() <= nearLagMax) {
            const page = await firstPage(feed, position);
            if (page !== undefined) await writePage(writer, page);
          }
          if (isWhole) await writer?.sync();
        } finally {
          following = Promise.resolve(false);
          await writer?.close();
          writer = undefined;
          release();
          release = () => undefined;
        }
      },
      health: () => ({ file: path, position, lag: lag() }),
    };
  };
}

/** The next page. Lines that have waited long enough are synced while there is none. */
async function nextPage(
  to: AuditWriter,
  pages: AsyncIterator<AuditPage>,
  clock: Clock,
): Promise<IteratorResult<AuditPage>> {
  const delayMs = to.syncDelayMs(clock.monotonicMs());
  if (delayMs === undefined) return pages.next();
  const arrived = new AbortController();
  const next = pages.next().finally(() => {
    arrived.abort();
  });
  // It is awaited below. A sync that fails meanwhile is the error of the service.
  next.catch(() => undefined);
  await pause(clock, delayMs, { keepAlive: false, signal: arrived.signal });
  // The timer may fire a moment early.
  if (!arrived.signal.aborted || to.syncDelayMs(clock.monotonicMs()) === 0) await to.sync();
  return next;
}

async function firstPage(feed: AuditFeed, after: number): Promise<AuditPage | undefined> {
  const pages = feed.pages(after);
  try {
    const page = await pages.next();
    return page.done === true ? undefined : page.value;
  } finally {
    await pages.return?.();
  }
}

interface ResumeContext {
  readonly feed: AuditFeed;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** The position after which the lines continue. If a restore has undone the last lines, a line marks it. */
async function resumePosition(writer: AuditWriter, context: ResumeContext): Promise<number> {
  const { feed, path } = context;
  const { last } = writer;
  if (last === undefined) return 0;
  const common = await settledCommon(last, context);
  if (common === undefined) {
    throw new Error(
      `${path} ends in epoch ${last.epoch}, which this journal does not have: the file belongs to another journal; ` +
        "move the folder away, and the file is written from the beginning",
    );
  }
  if (common < last.position) await writer.appendLost({ epoch: await feed.currentEpoch(), position: common });
  return common;
}

/** If the file is ahead of the journal, the next entry shows whether this node is behind or the history was lost. */
async function settledCommon(last: AuditCursor, { feed, signal }: ResumeContext): Promise<number | undefined> {
  for (;;) {
    const before = feed.head();
    const common = await feed.lastCommon(last);
    const head = Math.min(before, feed.head());
    if (common === undefined || common <= head || signal.aborted) return common;
    const pages = feed.pages(head);
    const end = endOnAbort(pages, signal);
    await pages.next().finally(end);
  }
}

/** Ends an iterator when the signal aborts. Returns how to end it at once. */
function endOnAbort(pages: AsyncIterableIterator<unknown>, signal: AbortSignal): () => void {
  const end = (): void => void pages.return?.();
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  return () => {
    signal.removeEventListener("abort", end);
    end();
  };
}
