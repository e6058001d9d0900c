import type { WatchedEvent } from "@holdfast/sdk";
import type { Gate } from "../../access/gate.ts";
import type { Clock } from "../../base/clock.ts";
import type { Ids } from "../../base/ids.ts";
import type { NatsLimits } from "./nats-limits.ts";

/** Where the nats-server is, and how to get in. */
export interface NatsConnectionOptions {
  /** `nats://host:port` or `tls://host:port`; several of one cluster. */
  readonly servers: readonly string[];
  /** A file with a user's JWT and seed, as `nsc` makes them. */
  readonly credsFile?: string;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Files in PEM: whom to trust, and who we are. Any of them asks for TLS. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** A place in the journal: an event of an entry, counted from 0. */
export interface EventPosition {
  readonly epoch: number;
  readonly position: number;
  readonly index: number;
}

/** An entry as the mesh tells it: its events in order, which may be none. */
export interface FeedEntry {
  readonly epoch: number;
  readonly position: number;
  readonly events: readonly WatchedEvent[];
}

/** The journal, as whoever publishes from it needs it. It is no caller's: all events are published. */
export interface EntryFeed {
  /** Entries after a position, in pages; then every one as it becomes durable. */
  entries(after: number): AsyncIterableIterator<readonly FeedEntry[]>;
  /** The last position of this journal that both it and a history with this place have; undefined if there is none. */
  lastCommon(at: { readonly epoch: number; readonly position: number }): Promise<number | undefined>;
  /** The position of the last entry. */
  head(): number;
}

export interface NatsDoorOptions extends NatsConnectionOptions {
  readonly gate: Gate;
  readonly feed: EntryFeed;
  /** The commands that kinds of entities bring, each with its type of entity. */
  readonly kindCommands: ReadonlyMap<string, string>;
  /** Who commands without a token act as. Without it, each needs a token: nothing else says who sent a message. */
  readonly principal?: string;
  /** Where publishing begins in an event stream that is empty; the first event, if the stream is new. */
  readonly publishAfter?: number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Told what an operator should know. */
  readonly report: (message: string, cause: unknown) => void;
  /** Told what is good to know. */
  readonly notice: (message: string) => void;
  readonly limits?: Partial<NatsLimits>;
}
