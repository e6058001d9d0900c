import { defined } from "@holdfast/sdk/base/defined";
import { HoldfastError } from "@holdfast/sdk";
import type { WatchedEvent } from "@holdfast/sdk";
import type { SimulatedNode } from "./node.ts";
import type { World } from "./world.ts";
import { shownData } from "./shown-data.ts";

/**
 * Follows the events through one node after the other and compares them with the history. Each event must arrive once,
 * in order and without a gap, also over a new connection.
 */
export class Subscriber {
  readonly #name: string;
  readonly #world: World;
  #pages: AsyncIterator<readonly WatchedEvent[]> | undefined;
  #owner = "";
  #cursor: string | undefined;
  /** The position of the last event, and the number of events of that entry so far. */
  #position = 0;
  #seen = 0;
  #isWaiting = false;
  /** False while the events may belong to a lost history. Then the expected events are unknown. */
  #isSure = true;

  constructor(name: string, world: World) {
    this.#name = name;
    this.#world = world;
  }

  /** The next step of a subscriber: it connects, requests more events, or connects to another node. */
  step(node: SimulatedNode): void {
    if (this.#pages === undefined) this.#connect(node);
    else if (this.#world.occurs("subscriber connects again")) this.#disconnect();
    else if (!this.#isWaiting && !this.#world.occurs("subscriber is slow")) this.#ask(this.#pages);
  }

  crashed(owner: string): void {
    if (owner === this.#owner) this.#pages = undefined;
  }

  journalWentBack(position: number): void {
    if (this.#position > position) this.#isSure = false;
  }

  get isConnected(): boolean {
    return this.#pages !== undefined;
  }

  /** True if all events up to this position were delivered. */
  hasSeenUpTo(position: number): boolean {
    const { history } = this.#world;
    if (this.#seen < (history.at(this.#position)?.entry.events.length ?? 0)) return false;
    for (let at = this.#position + 1; at <= position; at += 1) {
      if ((history.at(at)?.entry.events.length ?? 0) > 0) return false;
    }
    return true;
  }

  get isSure(): boolean {
    return this.#isSure;
  }

  #connect(node: SimulatedNode): void {
    const transport = node.transport({ principal: this.#name, caller: this.#name });
    const engine = node.engine;
    if (transport === undefined || engine === undefined || this.#world.time.isStill(node.owner)) return;
    this.#owner = node.owner;
    this.#isWaiting = false;
    if (this.#cursor === undefined) {
      this.#isSure = node.isInHistory();
      this.#position = engine.head.position;
      this.#seen = Infinity;
    }
    this.#world.log(() => `${this.#name} watches ${node.owner} after ${this.#cursor ?? "now"}`);
    this.#pages = transport.watch(defined({ after: this.#cursor }));
    if (this.#cursor !== undefined) this.#world.faults.count("subscriber continues from its cursor");
    this.#isBehind = (): boolean => engine.head.position < this.#position;
    this.#isInHistory = (): boolean => node.isInHistory();
    this.#folded = (): number => engine.head.position;
    this.#ask(this.#pages);
  }

  #isBehind: () => boolean = () => false;
  #isInHistory: () => boolean = () => true;
  #folded: () => number = () => Infinity;

  #disconnect(): void {
    void this.#pages?.return?.();
    this.#pages = undefined;
    if (!this.#isSure) this.#cursor = undefined;
  }

  #ask(pages: AsyncIterator<readonly WatchedEvent[]>): void {
    this.#isWaiting = true;
    const wasBehind = this.#isBehind();
    pages.next().then(
      (page) => {
        if (this.#pages !== pages) return;
        this.#isWaiting = false;
        if (page.done === true) this.#pages = undefined;
        else for (const event of page.value) this.#take(event);
      },
      (error: unknown) => {
        if (this.#pages !== pages) return;
        this.#pages = undefined;
        this.#failed(error, wasBehind);
      },
    );
  }

  #take(event: WatchedEvent): void {
    this.#world.faults.count("event is delivered");
    this.#cursor = event.cursor;
    // Unless the node has restarted since, on a history that was rolled back.
    this.#world.demand(
      this.#world.losses > 0 || event.position <= this.#folded(),
      "a delivered event is in the state of its node",
      () => `${this.#name} got the event of ${event.position} from a node at ${this.#folded()}`,
    );
    // A node that has not noticed a loss yet sends the lost history.
    if (this.#world.losses > 0 && !this.#isInHistory()) this.#isSure = false;
    if (this.#isSure) this.#compare(event);
    this.#seen = event.position === this.#position ? this.#seen + 1 : 1;
    this.#position = event.position;
  }

  #compare(event: WatchedEvent): void {
    const { history } = this.#world;
    let position = this.#position;
    let index = this.#seen;
    while (position <= history.position && index >= (history.at(position)?.entry.events.length ?? 0)) {
      position += 1;
      index = 0;
    }
    const expected = history.at(position)?.entry.events[index];
    const isNext =
      event.position === position &&
      event.subject === expected?.subject &&
      JSON.stringify(event.data) === JSON.stringify(shownData(expected.data));
    this.#world.demand(
      isNext,
      "a subscriber sees every event once and in order",
      () => `${this.#name} got ${JSON.stringify(event)} instead of ${JSON.stringify(expected)} at ${position}`,
    );
  }

  #failed(error: unknown, wasBehind: boolean): void {
    const code = error instanceof HoldfastError ? error.code : error instanceof Error ? error.name : "?";
    this.#world.log(() => `${this.#name} got ${code}`);
    this.#world.faults.count(`subscriber gets ${code}`);
    if (code !== "cursor_lost") return;
    // A node that is behind cannot distinguish a cursor ahead of it from a lost one. A retry helps.
    if (wasBehind && this.#isSure) return;
    this.#world.demand(
      !this.#isSure || this.#world.losses > 0,
      "a cursor is lost only with its history",
      () => `${this.#name} at ${this.#cursor ?? ""}`,
    );
    this.#cursor = undefined;
    this.#isSure = true;
  }
}
