import type { OperationRegistry } from "../../operations/registry.ts";
import type { WatchedEvent } from "@holdfast/sdk";
import type { Gate } from "../../access/gate.ts";
import type { Clock } from "../../base/clock.ts";
import type { Ids } from "../../base/ids.ts";
import type { NatsLimits } from "./nats-limits.ts";

/** The addresses of the nats-server, and the credentials. */
export interface NatsConnectionOptions {
  /** `nats://host:port` or `tls://host:port`, one or several of one cluster. */
  readonly servers: readonly string[];
  /** A file with a user's JWT and seed, as `nsc` creates it. */
  readonly credsFile?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
  /** PEM files with the CA certificates, the client certificate and its key. Each of them enables TLS. */
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** The position of an event in the journal. `index` counts the events of an entry from 0. */
export interface EventPosition {
  readonly epoch: number;
  readonly position: number;
  readonly index: number;
}

/** An entry with its events in order. It may have no events. */
export interface FeedEntry {
  readonly epoch: number;
  readonly position: number;
  readonly events: readonly WatchedEvent[];
  /** The position whose payload this entry erases, if it erases one. */
  readonly erases?: number | undefined;
}

/** An erased entry, and the entry that erased it. */
export interface PublishedErasure {
  readonly position: number;
  readonly by: number;
}

/** The erasures of the journal. Each must also be executed in the event stream. */
interface ErasureQueue {
  /**
   * Adds the event stream, before the first event is published to it. From then on an erasure is complete only after
   * `remove` succeeded. Returns the function that ends it.
   */
  addStream(remove: (erasures: readonly PublishedErasure[]) => Promise<void>): Promise<() => void>;
  /** Completes unfinished erasures, and those that `published` returns. */
  resume(published: () => readonly PublishedErasure[]): Promise<void>;
}

/** The journal for the publisher. It has no caller and no rights: all events are published. */
export interface EntryFeed {
  /** Entries after a position, in pages, followed by each new entry when it becomes durable. */
  entries(after: number): AsyncIterableIterator<readonly FeedEntry[]>;
  /** The last position that this journal shares with the history of this position. Undefined if they share none. */
  lastCommon(at: { readonly epoch: number; readonly position: number }): Promise<number | undefined>;
  /** The position of the last entry. */
  head(): number;
  /** Whether the payload of an entry is erased, according to all entries that are durable now. */
  isErased(position: number): Promise<boolean>;
  /** The epoch of an entry. */
  epochAt(position: number): Promise<number>;
}

export interface NatsDoorOptions extends NatsConnectionOptions {
  readonly gate: Gate;
  readonly feed: EntryFeed;
  readonly erasures: ErasureQueue;
  readonly operations: OperationRegistry;
  /** The commands of kinds, each with its type of entity. */
  readonly kindCommands: ReadonlyMap<string, string>;
  /** The principal of commands without a token. If absent, each command needs a token. */
  readonly principal?: string | undefined;
  /** The prefixes of the subjects that may receive answers; `_INBOX.` by default. */
  readonly replyPrefixes?: readonly string[] | undefined;
  /** The position after which publishing starts in an empty event stream. A new stream starts at the first event. */
  readonly publishAfter?: number | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Receives warnings for the operator. */
  readonly report: (message: string, cause: unknown) => void;
  /** Receives informational messages. */
  readonly notice: (message: string) => void;
  readonly limits?: Partial<NatsLimits>;
}
