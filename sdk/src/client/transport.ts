import type { Notice, NoticeQuery } from "../contract/notices.ts";
import type { WatchFilter } from "../contract/watch-filter.ts";

/** How a client reaches Holdfast: in the same process, over a socket or over HTTP. All of them answer alike. */
export interface Transport {
  readonly call: (operation: string, input: unknown, options: CallOptions) => Promise<CallReply>;
  /** Events after a cursor (from now on, if there is none), in pages; then every one as it becomes durable. */
  watch(options: WatchRequest): AsyncIterableIterator<readonly WatchedEvent[]>;
  /**
   * What is told to an owner and is no event: its place in a line, and leases that near their end. It begins with what is
   * so now, and of each ticket and lease whoever is slow gets the newest. It ends when the server has to start anew.
   */
  notices(options: NoticeQuery): AsyncIterableIterator<readonly Notice[]>;
  /** The cursor of the last durable entry: `watch` from here misses nothing that comes after what was read before. */
  cursor(): Promise<string>;
  close(): Promise<void>;
}

export interface WatchRequest extends WatchFilter {
  /** Continue after this cursor; without it, start with what happens after this call. */
  readonly after?: string;
  /** Called when the watch has begun for certain, and again with each connection over which it goes on. */
  readonly onWatching?: () => void;
}

export interface CallOptions {
  /**
   * Makes a write safe to send again: the same key with the same input returns the first outcome and runs nothing.
   * 1 to 255 printable ASCII characters.
   */
  readonly key?: string;
  /** How long the command may wait to be decided. */
  readonly deadlineMs?: number;
  /** The registered agent that acts, and the secret that its registration returned. */
  readonly agent?: string;
  readonly agentSecret?: string;
  /** The caller's place in a trace: a W3C `traceparent`. It is kept in the entry; one that is not well formed is ignored. */
  readonly trace?: string;
  /** How far a read must look; the latest, if not given. Writes always decide on the latest. */
  readonly reads?: Reads;
  /** Leaves the events of the entry out of the reply: who wants its outcome alone need not pay for them. */
  readonly events?: false;
  /** Says that this call is another attempt, and after which refusal. It changes nothing but the figures. */
  readonly retry?: RetryCause;
  /**
   * Ends the caller's interest. Aborted before the command was sent, nothing happens; afterwards the reply is ignored,
   * and the command may have been done.
   */
  readonly signal?: AbortSignal;
}

/**
 * `latest`: everything that was acknowledged anywhere before the call, which costs one look at the head of a journal that
 * several nodes share, and nothing on any other. `local`: what the node that is asked has folded; a moment old at most,
 * and also to be had while the journal can't be reached.
 */
export type Reads = "latest" | "local";

/** After what something is tried again: a deadlock, or somebody else's change. */
export type RetryCause = "deadlock" | "conflict";

/** An answer, as every door gives it. */
export interface CallReply {
  readonly outcome:
    | { readonly kind: "done"; readonly data: unknown }
    | { readonly kind: "refusal"; readonly code: string; readonly data: Readonly<Record<string, unknown>> };
  /** The entry's position; if nothing was recorded, that of the last entry that the decision had seen. */
  readonly position: number;
  /** True if this is the recorded outcome of an earlier use of the same key. */
  readonly replayed: boolean;
  readonly events: readonly { readonly name: string; readonly subject: string; readonly data: unknown }[];
}

/** A fact, with its place in the journal. */
export interface WatchedEvent {
  /** Where to go on from: `watch({ after: cursor })` continues with the next event, also after a reconnect. */
  readonly cursor: string;
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** `evt.document.changed` */
  readonly name: string;
  /** `document/42` */
  readonly subject: string;
  readonly data: unknown;
  readonly operation: string;
  readonly by: { readonly principal: string; readonly agent?: string };
}
