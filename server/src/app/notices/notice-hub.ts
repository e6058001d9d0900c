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

interface OwnerListeners {
  readonly boxes: Set<NoticeBox>;
  readonly leases: LeaseWatch;
}

/**
 * Notifies owners of changes that have no entry: a better place in a queue, and expiring leases. Without
 * listeners it reads nothing. All listeners share one subscription.
 */
export class NoticeHub {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #listeners = new Map<string, OwnerListeners>();
  readonly #places: PlaceWatch;
  #subscription: Subscription | undefined;

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
    this.#places = new PlaceWatch({ engine, clock, notify: (notice) => this.#notify(notice) });
  }

  /** First the place of each ticket of the owner and its expiring leases, then their changes. */
  listen(owner: string): NoticeBox {
    this.#subscription ??= this.#start();
    const listeners = this.#listeners.get(owner) ?? this.#addOwner(owner);
    const box = new NoticeBox(() => this.#remove(owner, listeners, box));
    listeners.boxes.add(box);
    // The followed state and the sent notices come from the same read, so that nothing is missed in between.
    const sendCurrent = (state: StateReader): void => {
      if (!listeners.boxes.has(box)) return;
      for (const row of ticketsOf(state, owner, Infinity)) box.add(this.#places.current(state, row));
      listeners.leases.check(state);
    };
    void this.#engine.scan(sendCurrent).catch(() => box.end());
    return box;
  }

  #addOwner(owner: string): OwnerListeners {
    const notify = (notice: Notice): void => this.#notify(notice);
    const leases = new LeaseWatch({ engine: this.#engine, clock: this.#clock, owner, notify });
    const listeners = { boxes: new Set<NoticeBox>(), leases };
    this.#listeners.set(owner, listeners);
    return listeners;
  }

  #remove(owner: string, { boxes, leases }: OwnerListeners, box: NoticeBox): void {
    boxes.delete(box);
    if (boxes.size > 0) return;
    leases.stop();
    this.#places.forgetOwner(owner);
    this.#listeners.delete(owner);
    if (this.#listeners.size === 0) this.#stop();
  }

  #notify(notice: Notice): void {
    for (const box of this.#listeners.get(notice.owner_id)?.boxes ?? []) {
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
    for (const { boxes } of [...this.#listeners.values()]) for (const box of [...boxes]) box.end();
  }

  async #pump(subscription: Subscription): Promise<void> {
    for await (const entries of subscription) {
      const leftTickets = await this.#engine.read((state) => entries.flatMap((entry) => this.#apply(state, entry)));
      if (leftTickets.length > 0 && !this.#places.isIdle) await this.#touchPathsOf(leftTickets);
    }
  }

  /** Applies an entry. Returns tickets that left a queue and whose paths the entry does not have. */
  #apply(state: StateReader, entry: Entry): readonly string[] {
    return entry.events.flatMap(({ type, data }) => {
      if (type === "lock.cancelled") return this.#leftQueue(data["ticket"] as string);
      if (type === "lock.queued") this.#queued(data, entry);
      else if (hasLease.has(type)) this.#granted(state, data);
      return [];
    });
  }

  #queued(data: JsonObject, { outcome }: Entry): void {
    const row = { ticket: data["ticket"], owner: data["owner_id"], paths: data["paths"] } as unknown as TicketRow;
    if (this.#listeners.has(row.owner)) this.#places.follow(row, placeIn(outcome.data));
    // An upgrade goes ahead of all other tickets.
    if (data["upgrades"] !== undefined) for (const { path } of row.paths) this.#places.touch(path);
  }

  #granted(state: StateReader, data: JsonObject): void {
    const { ticket, paths, resource_id: path, owner_id: owner, fence } = data as unknown as GrantData;
    this.#listeners.get(owner)?.leases.consider(state, fence);
    if (ticket === undefined) return;
    this.#places.forget(ticket);
    for (const lock of paths ?? [{ path }]) this.#places.touch(lock.path);
  }

  #leftQueue(ticket: string): readonly string[] {
    const paths = this.#places.pathsOf(ticket);
    if (paths === undefined) return [ticket];
    this.#places.forget(ticket);
    for (const path of paths) this.#places.touch(path);
    return [];
  }

  /** The id of a ticket contains the position of the entry that queued it, which has its paths. */
  async #touchPathsOf(tickets: readonly string[]): Promise<void> {
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
