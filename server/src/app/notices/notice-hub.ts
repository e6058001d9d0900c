import type { Notice } from "@holdfast/sdk/contract";
import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Subscription } from "../../engine/subscription.ts";
import { ticketsOf } from "../../features/locks/rules/accept-lock.ts";
import type { TicketRow } from "../../features/locks/tables/lock-tables.ts";
import type { Entry } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { copyJson } from "../calls/copy-json.ts";
import { LeaseWatch } from "./lease-watch.ts";
import { NoticeBox } from "./notice-box.ts";
import { PlaceWatch } from "./place-watch.ts";

interface Listening {
  readonly boxes: Set<NoticeBox>;
  readonly leases: LeaseWatch;
}

/**
 * Notifies listening owners of facts without an entry: a better place in a queue, and expiring leases. Without
 * listeners it reads nothing. All listeners share one subscription.
 */
export class NoticeHub {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #owners = new Map<string, Listening>();
  readonly #places: PlaceWatch;
  #subscription: Subscription | undefined;

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
    this.#places = new PlaceWatch({ engine, clock, tell: (notice) => this.#tell(notice) });
  }

  /** First the place of each ticket of the owner and its expiring leases, then their changes. */
  listen(owner: string): NoticeBox {
    this.#subscription ??= this.#start();
    const listening = this.#owners.get(owner) ?? this.#enter(owner);
    const box = new NoticeBox(() => this.#leave(owner, listening, box));
    listening.boxes.add(box);
    // The followed state and the sent notices come from the same read, so that nothing is missed in between.
    const begin = (state: StateReader): void => {
      if (!listening.boxes.has(box)) return;
      for (const row of ticketsOf(state, owner, Infinity)) box.add(this.#places.current(state, row));
      listening.leases.look(state);
    };
    void this.#engine.scan(begin).catch(() => box.end());
    return box;
  }

  #enter(owner: string): Listening {
    const tell = (notice: Notice): void => this.#tell(notice);
    const leases = new LeaseWatch({ engine: this.#engine, clock: this.#clock, owner, tell });
    const listening = { boxes: new Set<NoticeBox>(), leases };
    this.#owners.set(owner, listening);
    return listening;
  }

  #leave(owner: string, { boxes, leases }: Listening, box: NoticeBox): void {
    boxes.delete(box);
    if (boxes.size > 0) return;
    leases.stop();
    this.#places.forgetOwner(owner);
    this.#owners.delete(owner);
    if (this.#owners.size === 0) this.#stop();
  }

  #tell(notice: Notice): void {
    for (const box of this.#owners.get(notice.owner_id)?.boxes ?? []) {
      box.add(copyJson(notice) as unknown as Notice);
    }
  }

  #start(): Subscription {
    const subscription = this.#engine.subscribe(this.#engine.head.position);
    void this.#pump(subscription)
      .catch(() => undefined)
      .finally(() => {
        if (this.#subscription === subscription) this.#stop();
      });
    return subscription;
  }

  /** Lost history, or a stopping node: all listeners end. A new one starts with the current state. */
  #stop(): void {
    const subscription = this.#subscription;
    this.#subscription = undefined;
    void subscription?.return();
    for (const { boxes } of [...this.#owners.values()]) for (const box of [...boxes]) box.end();
  }

  async #pump(subscription: Subscription): Promise<void> {
    for await (const entries of subscription) {
      const left = await this.#engine.read((state) => entries.flatMap((entry) => this.#take(state, entry)));
      if (left.length > 0 && !this.#places.isIdle) await this.#touchLeft(left);
    }
  }

  /** Applies an entry. Returns tickets that left a queue and whose paths the entry does not have. */
  #take(state: StateReader, entry: Entry): readonly string[] {
    return entry.events.flatMap(({ type, data }) => {
      if (type === "lock.cancelled") return this.#left(data["ticket"] as string);
      if (type === "lock.queued") this.#queued(data, entry);
      else if (hasLease.has(type)) this.#granted(state, data);
      return [];
    });
  }

  #queued(data: JsonObject, { outcome }: Entry): void {
    const row = { ticket: data["ticket"], owner: data["owner_id"], paths: data["paths"] } as unknown as TicketRow;
    if (this.#owners.has(row.owner)) this.#places.follow(row, placeIn(outcome.data));
    // An upgrade goes ahead of all other tickets.
    if (data["upgrades"] !== undefined) for (const { path } of row.paths) this.#places.touch(path);
  }

  #granted(state: StateReader, data: JsonObject): void {
    const { ticket, paths, resource_id: path, owner_id: owner, fence } = data as unknown as GrantData;
    this.#owners.get(owner)?.leases.consider(state, fence);
    if (ticket === undefined) return;
    this.#places.forget(ticket);
    for (const one of paths ?? [{ path }]) this.#places.touch(one.path);
  }

  #left(ticket: string): readonly string[] {
    const paths = this.#places.pathsOf(ticket);
    if (paths === undefined) return [ticket];
    this.#places.forget(ticket);
    for (const path of paths) this.#places.touch(path);
    return [];
  }

  /** The id of a ticket contains the position of the entry that queued it, which has its paths. */
  async #touchLeft(tickets: readonly string[]): Promise<void> {
    const positions = tickets.map((ticket) => Number(ticket.split(".")[1]));
    const names = new Set(tickets);
    for (const { events } of await this.#engine.entriesAt(positions)) {
      for (const { type, data } of events) {
        if (type !== "lock.queued" || !names.has(data["ticket"] as string)) continue;
        for (const { path } of data["paths"] as unknown as TicketRow["paths"]) this.#places.touch(path);
      }
    }
  }
}

interface GrantData {
  readonly ticket?: string;
  readonly paths?: readonly { readonly path: string }[];
  readonly resource_id: string;
  readonly owner_id: string;
  readonly fence: string;
}

/** Events after which a lease may be the next to expire. */
const hasLease: ReadonlySet<string> = new Set([
  "lock.acquired",
  "lock.upgraded",
  "lock.downgraded",
  "lock.transferred",
  "lock.refreshed",
]);

/** The place that the reply reported. */
function placeIn(data: unknown): number | undefined {
  const { place } = data as { readonly place?: unknown };
  return typeof place === "number" ? place : undefined;
}
