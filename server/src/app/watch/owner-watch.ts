import { isWanted } from "@holdfast/sdk/contract";
import type { WatchFilter } from "@holdfast/sdk/contract";
import type { WatchedEvent } from "@holdfast/sdk";
import type { Engine } from "../../engine/engine.ts";
import { Signal } from "../../engine/signal.ts";
import type { Subscription } from "../../engine/subscription.ts";
import { entryEvents } from "./entry-events.ts";
import type { OwnerHub } from "./owner-hub.ts";

type OwnerFilter = WatchFilter & { readonly owner: string };
type Events = readonly WatchedEvent[];

export interface WatchServices {
  readonly engine: Engine;
  readonly owners: OwnerHub;
}

/**
 * The events of one owner after a position: first from the journal, then from the hub. A listener that falls behind the
 * hub reads the journal again, so no event is missed or repeated.
 */
export class OwnerWatch {
  readonly #engine: Engine;
  readonly #hub: OwnerHub;
  readonly #filter: OwnerFilter;
  readonly #awake = new Signal();
  #position: number;
  /** Reads events that the hub dropped. It also detects lost history and a stopping node, so it stays open. */
  #journal: Subscription;
  #listener: ReturnType<OwnerHub["listen"]> | undefined;

  constructor({ engine, owners }: WatchServices, filter: OwnerFilter, after: number) {
    this.#engine = engine;
    this.#hub = owners;
    this.#filter = filter;
    this.#position = after;
    this.#journal = engine.subscribe(after);
  }

  get hasEnded(): boolean {
    return this.#journal.hasEnded;
  }

  /** The next events; undefined if there are none to come. It throws if the history is lost. */
  async next(): Promise<Events | undefined> {
    for (;;) {
      const found = await this.#nextEvents();
      if (found === undefined) return undefined;
      const events = found.filter((event) => isWanted(event, this.#filter));
      if (events.length > 0) return events;
    }
  }

  stop(): void {
    void this.#journal.return();
    this.#listener?.stop();
    this.#listener = undefined;
    this.#awake.fire();
  }

  async #nextEvents(): Promise<Events | undefined> {
    if (this.hasEnded) return this.#readJournal(this.#position);
    this.#listener ??= this.#hub.listen(this.#filter.owner, {
      wake: () => {
        this.#awake.fire();
      },
    });
    if (this.#position < this.#listener.position) return this.#readJournal(this.#listener.position);
    return this.#takeFromHub(this.#listener);
  }

  /** A page before the position at which the hub starts. */
  async #readJournal(to: number): Promise<Events | undefined> {
    if (!this.hasEnded && this.#journal.position !== this.#position) {
      void this.#journal.return();
      this.#journal = this.#engine.subscribe(this.#position);
    }
    const page = await this.#journal.next();
    if (page.done === true) return undefined;
    const entries = page.value.filter(({ position }) => position <= to);
    this.#position = entries.at(-1)?.position ?? to;
    return this.#engine.read((state) => entries.flatMap((entry) => entryEvents(state, entry)));
  }

  /** The events that the hub has for this owner. It waits until there are some. */
  async #takeFromHub(listener: ReturnType<OwnerHub["listen"]>): Promise<Events> {
    const awake = this.#awake.next();
    const events = listener.take();
    if (events === "missed" || events === "ended") {
      listener.stop();
      this.#listener = undefined;
      return [];
    }
    if (events.length === 0) await awake;
    this.#position = events.at(-1)?.position ?? this.#position;
    return events;
  }
}
