import type { Notice, NoticeQuery } from "../../contract/notices.ts";
import type { WatchFilter } from "../../contract/watch-filter.ts";

/** The way from a client to Holdfast: in process, over a socket or over HTTP. All give the same replies. */
export interface Transport {
  readonly call: (operation: string, input: unknown, options: CallOptions) => Promise<CallReply>;
  /** Events after a cursor, or after the call if there is none, in pages. Then new ones as they become durable. */
  watch(options: WatchRequest): AsyncIterableIterator<readonly WatchedEvent[]>;
  /**
   * Push messages to an owner that are not events: its place in a queue, expiring leases, and the notices of packs. The
   * stream starts with the current state. A slow listener gets only the newest notice per word and key. It ends when the
   * server folds its state again.
   */
  notices(options: NoticeQuery): AsyncIterableIterator<readonly Notice[]>;
  /** The cursor of the last durable entry. A `watch` from here misses nothing after earlier reads. */
  cursor(): Promise<string>;
  close(): Promise<void>;
}

export interface WatchRequest extends WatchFilter {
  /** Continue after this cursor. Without it, start with events after this call. */
  readonly after?: string;
  /** Called when the watch has started, and again with each connection on which it resumes. */
  readonly onWatching?: () => void;
}

export interface CallOptions {
  /**
   * Makes a write safe to retry: the same key with the same input returns the first outcome and runs nothing. 1 to 255
   * printable ASCII characters.
   */
  readonly key?: string | undefined;
  /** Maximum time that the command may wait for its decision. */
  readonly deadlineMs?: number;
  /** The calling agent, and the secret that its registration returned. */
  readonly agent?: string;
  readonly agentSecret?: string;
  /** The caller's span in a trace: a W3C `traceparent`. The entry stores it. A malformed one is ignored. */
  readonly trace?: string;
  /** Required freshness of a read; `latest` by default. Writes always decide on the latest state. */
  readonly reads?: Reads | undefined;
  /** Leaves the events of the entry out of the reply, for callers that need only the outcome. */
  readonly events?: false;
  /** Marks the call as a retry after this kind of refusal. It affects only metrics. */
  readonly retry?: RetryCause;
  /**
   * Aborts the call. Before the command is sent, nothing happens. Afterwards the reply is ignored, and the command may
   * have run.
   */
  readonly signal?: AbortSignal;
  /** The binary body of an operation that takes one. It is read once, as the operation asks for it, and never repeated. */
  readonly body?: AsyncIterable<Uint8Array>;
  /** The caller accepts a stream as the answer. An operation that answers with one requires it. */
  readonly acceptsStream?: true;
}

/**
 * - `latest`: everything that any node acknowledged before the call. It costs one read of the head of a shared journal,
 *   and nothing on any other.
 * - `local`: the state of the node that answers. It is slightly old, and also available while the journal is
 *   unreachable.
 */
export type Reads = "latest" | "local";

/** The cause of a retry: a deadlock, or a conflict with another change. */
export type RetryCause = "deadlock" | "conflict";

/** A reply, the same at every door. */
export interface CallReply {
  readonly outcome:
    | { readonly kind: "done"; readonly data: unknown }
    | { readonly kind: "refusal"; readonly code: string; readonly data: Readonly<Record<string, unknown>> };
  /** Position of the entry. If nothing was recorded, of the last entry before the decision. */
  readonly position: number;
  /** True if this is the recorded outcome of an earlier use of the same key. */
  readonly replayed: boolean;
  readonly events: readonly { readonly name: string; readonly subject: string; readonly data: unknown }[];
  /** The bytes that an operation answers with, if it answers with a stream. */
  readonly stream?: ReplyStream;
}

/** Bytes of a known length. Nothing is open until `open` is called, and the end of an iteration closes it again. */
export interface ReplyStream {
  readonly contentType: string;
  readonly length: number;
  /** Identifies the bytes: equal tags mean equal bytes. */
  readonly etag?: string | undefined;
  /** The bytes, or one range of them. */
  readonly open: (range?: ByteRange) => AsyncIterable<Uint8Array>;
}

/** Bytes from `start` up to `end`, which is not included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An event with its position in the journal. */
export interface WatchedEvent {
  /** The cursor to resume from: `watch({ after: cursor })` continues with the next event, also after a reconnect. */
  readonly cursor: string;
  readonly position: number;
  /** ISO 8601, in UTC. */
  readonly time: string;
  /** `evt.document.changed` */
  readonly name: string;
  /** `document/42` */
  readonly subject: string;
  readonly data: unknown;
  readonly operation: string;
  readonly by: { readonly principal: string; readonly agent?: string };
}
