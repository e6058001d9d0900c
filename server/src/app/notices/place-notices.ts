import type { Notice } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import { ticketsOf } from "../../features/locks/rules/accept-lock.ts";
import type { TicketRow } from "../../features/locks/tables/lock-tables.ts";
import type { Entry } from "../../machine/entry.ts";
import type { StateReader } from "../../machine/state.ts";
import type { NoticeOutlet, NoticeSource } from "./notice-source.ts";
import { PlaceWatch } from "./place-watch.ts";

/** The places of tickets. An entry moves tickets that it does not name, so the notices follow a little later. */
export class PlaceNotices implements NoticeSource {
  readonly word = "place";
  readonly events = ["lock.queued", "lock.cancelled", "lock.acquired", "lock.upgraded"];
  readonly #engine: Engine;
  readonly #outlet: NoticeOutlet;
  readonly #places: PlaceWatch;
  /** Tickets that left a queue and whose paths are only in the entry that queued them. */
  #leftTickets: string[] = [];

  constructor({ engine, clock }: { readonly engine: Engine; readonly clock: Clock }, outlet: NoticeOutlet) {
    this.#engine = engine;
    this.#outlet = outlet;
    this.#places = new PlaceWatch({ engine, clock, notify: outlet.notify });
  }

  begin(state: StateReader, owner: string): readonly Notice[] {
    return ticketsOf(state, owner, Infinity).map((row) => this.#places.current(state, row));
  }

  take(_state: StateReader, { events, outcome }: Entry): readonly Notice[] {
    for (const { type, data } of events) {
      if (type === "lock.cancelled") this.#leftQueue(data["ticket"] as string);
      else if (type === "lock.queued") this.#queued(data, outcome.data);
      else if (this.events.includes(type)) this.#granted(data);
    }
    return [];
  }

  async settle(): Promise<void> {
    const tickets = this.#leftTickets;
    this.#leftTickets = [];
    if (tickets.length > 0 && !this.#places.isIdle) await this.#touchPathsOf(tickets);
  }

  forget(owner: string): void {
    this.#places.forgetOwner(owner);
  }

  #queued(data: JsonObject, reply: unknown): void {
    const row = { ticket: data["ticket"], owner: data["owner_id"], paths: data["paths"] } as unknown as TicketRow;
    if (this.#outlet.isListening(row.owner)) this.#places.follow(row, placeIn(reply));
    // An upgrade goes ahead of all other tickets.
    if (data["upgrades"] !== undefined) for (const { path } of row.paths) this.#places.touch(path);
  }

  #granted(data: JsonObject): void {
    const { ticket, paths, resource_id: path } = data as unknown as GrantData;
    if (ticket === undefined) return;
    this.#places.forget(ticket);
    for (const lock of paths ?? [{ path }]) this.#places.touch(lock.path);
  }

  #leftQueue(ticket: string): void {
    const paths = this.#places.pathsOf(ticket);
    if (paths === undefined) {
      this.#leftTickets.push(ticket);
      return;
    }
    this.#places.forget(ticket);
    for (const path of paths) this.#places.touch(path);
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
}

/** The place that the reply reported. */
function placeIn(data: unknown): number | undefined {
  const { place } = data as { readonly place?: unknown };
  return typeof place === "number" ? place : undefined;
}
