import { ownersOf } from "@holdfast/sdk/contract";
import type { WatchedEvent } from "@holdfast/sdk";
import type { Engine } from "../../engine/engine.ts";
import type { Subscription } from "../../engine/subscription.ts";
import { entryEvents } from "./entry-events.ts";

/** Events that wait for one listener. One that is slower than this reads the journal again from where it was. */
const waitingMax = 1_000;

/** Somebody who listens for one owner. */
export interface OwnerListener {
  /** Called when there is something to take, or when nothing more will come. */
  readonly wake: () => void;
}

interface Box {
  readonly listener: OwnerListener;
  events: WatchedEvent[];
}

/** What a listener finds: events, or that it has missed some, or that the hub has ended. */
export type Taken = readonly WatchedEvent[] | "missed" | "ended";

/**
 * Hands each event to those who listen for the owners that it concerns. All listeners share one subscription: an event
 * costs a look-up for each owner in it, however many listen for others.
 */
export class OwnerHub {
  readonly #engine: Engine;
  readonly #boxes = new Map<string, Set<Box>>();
  #subscription: Subscription | undefined;
  /** The last entry whose events were handed to those who listen. */
  #position = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Starts to listen. Everything after `position` reaches the listener; what was before it must read itself. */
  listen(owner: string, listener: OwnerListener): { position: number; take: () => Taken; stop: () => void } {
    this.#subscription ??= this.#start();
    const subscription = this.#subscription;
    const box: Box = { listener, events: [] };
    const boxes = this.#boxes.get(owner) ?? new Set();
    this.#boxes.set(owner, boxes.add(box));
    return {
      position: this.#position,
      take: () => this.#take(box, subscription),
      stop: () => {
        boxes.delete(box);
        if (boxes.size === 0) this.#boxes.delete(owner);
        if (this.#boxes.size === 0) this.#stop();
      },
    };
  }

  #take(box: Box, subscription: Subscription): Taken {
    if (subscription !== this.#subscription) return "ended";
    if (box.events.length > waitingMax) return "missed";
    const { events } = box;
    box.events = [];
    return events;
  }

  #start(): Subscription {
    this.#position = this.#engine.head.position;
    const subscription = this.#engine.subscribe(this.#position);
    // Lost history, a journal that can't be read, a node that stops: whoever listens finds out by reading itself.
    void this.#pump(subscription)
      .catch(() => undefined)
      .finally(() => {
        if (this.#subscription === subscription) this.#stop();
      });
    return subscription;
  }

  async #pump(subscription: Subscription): Promise<void> {
    for await (const entries of subscription) {
      const events = await this.#engine.read((state) => entries.flatMap((entry) => entryEvents(state, entry)));
      if (subscription.hasEnded) return;
      for (const event of events) this.#deliver(event);
      this.#position = entries.at(-1)?.position ?? this.#position;
    }
  }

  #deliver(event: WatchedEvent): void {
    for (const owner of ownersOf(event)) {
      for (const box of this.#boxes.get(owner) ?? []) {
        if (box.events.length > waitingMax) continue;
        box.events.push(event);
        box.listener.wake();
      }
    }
  }

  #stop(): void {
    const subscription = this.#subscription;
    this.#subscription = undefined;
    void subscription?.return();
    const boxes = [...this.#boxes.values()].flatMap((set) => [...set]);
    for (const { listener } of boxes) listener.wake();
  }
}
