import { ownersOf } from "@holdfast/sdk/contract";
import type { WatchedEvent } from "@holdfast/sdk";
import type { Engine } from "../../engine/engine.ts";
import type { Subscription } from "../../engine/subscription.ts";
import { entryEvents } from "./entry-events.ts";

/** Maximum pending events of one listener. A slower one reads the journal from its position. */
const pendingMax = 1_000;

/** A listener for one owner. */
interface OwnerListener {
  /** Called when events are available, or when the hub has ended. */
  readonly wake: () => void;
}

interface Box {
  readonly listener: OwnerListener;
  events: WatchedEvent[];
}

/** The result for a listener: events, or that some were dropped, or that the hub has ended. */
type ListenerResult = readonly WatchedEvent[] | "missed" | "ended";

/**
 * Passes each event to the listeners of the owners that it concerns. All listeners share one subscription. An event
 * costs one look-up per owner in it, however many other listeners exist.
 */
export class OwnerHub {
  readonly #engine: Engine;
  readonly #boxes = new Map<string, Set<Box>>();
  #subscription: Subscription | undefined;
  /** The last entry whose events were passed on. */
  #position = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Starts to listen. Everything after `position` reaches the listener, which reads earlier events itself. */
  listen(owner: string, listener: OwnerListener): { position: number; take: () => ListenerResult; stop: () => void } {
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

  #take(box: Box, subscription: Subscription): ListenerResult {
    if (subscription !== this.#subscription) return "ended";
    if (box.events.length > pendingMax) return "missed";
    const { events } = box;
    box.events = [];
    return events;
  }

  #start(): Subscription {
    this.#position = this.#engine.head.position;
    const subscription = this.#engine.subscribe(this.#position);
    // After lost history, an unreadable journal or a stop, each listener gets the error from its own read.
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
        if (box.events.length > pendingMax) continue;
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
