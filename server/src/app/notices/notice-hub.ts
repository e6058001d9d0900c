import { eventTypes, noticeTypes } from "@holdfast/sdk/contract";
import type { Notice } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Engine } from "../../engine/engine.ts";
import type { Subscription } from "../../engine/subscription.ts";
import type { Entry } from "../../machine/entry.ts";
import type { StateReader } from "../../machine/state.ts";
import { copyJson } from "../calls/copy-json.ts";
import { NoticeBox } from "./notice-box.ts";
import type { NoticeOutlet, NoticeSource } from "./notice-source.ts";

/**
 * Sends the notices of all sources to their owners. Without listeners it reads nothing. All listeners share one
 * subscription, and each has a box of its own.
 */
export class NoticeHub {
  readonly #engine: Engine;
  readonly #sources: readonly NoticeSource[];
  readonly #byEvent = new Map<string, NoticeSource[]>();
  readonly #byWord = new Map<string, NoticeSource>();
  /** The boxes of each owner. */
  readonly #boxes = new Map<string, Set<NoticeBox>>();
  #subscription: Subscription | undefined;

  constructor(engine: Engine, sourcesOf: (outlet: NoticeOutlet) => readonly NoticeSource[]) {
    this.#engine = engine;
    this.#sources = sourcesOf({
      notify: (notice) => this.#notify([notice]),
      isListening: (owner) => this.#boxes.has(owner),
    });
    for (const source of this.#sources) this.#index(source);
  }

  /** First the current notices of the owner, then their changes. */
  listen(owner: string): NoticeBox {
    this.#subscription ??= this.#start();
    const boxes = this.#boxes.get(owner) ?? new Set<NoticeBox>();
    this.#boxes.set(owner, boxes);
    const box = new NoticeBox({
      onEnd: () => this.#remove(owner, boxes, box),
      brief: (notice) => this.#byWord.get(notice.notice)?.brief?.(notice) ?? notice,
      resync: () => this.#sendCurrent(owner, box),
    });
    boxes.add(box);
    this.#sendCurrent(owner, box);
    return box;
  }

  /** The followed state and the sent notices come from the same read, so that nothing is missed in between. */
  #sendCurrent(owner: string, box: NoticeBox): void {
    const send = (state: StateReader): void => {
      if (this.#boxes.get(owner)?.has(box) !== true) return;
      box.add(this.#sources.flatMap((source) => source.begin(state, owner)).map(copyOf));
    };
    void this.#engine.scan(send).catch(() => box.end());
  }

  /** A source with an unknown name would send nothing, or notices that no document describes. */
  #index(source: NoticeSource): void {
    const { word, events } = source;
    if (!noticeTypes.has(word)) throw new Error(`no contract declares the notice ${word}`);
    this.#byWord.set(word, source);
    for (const type of events) {
      if (!eventTypes.has(type)) throw new Error(`the notice ${word} follows the event ${type}, which does not exist`);
      this.#byEvent.set(type, [...(this.#byEvent.get(type) ?? []), source]);
    }
  }

  #remove(owner: string, boxes: Set<NoticeBox>, box: NoticeBox): void {
    boxes.delete(box);
    if (boxes.size > 0) return;
    for (const source of this.#sources) source.forget?.(owner);
    this.#boxes.delete(owner);
    if (this.#boxes.size === 0) this.#stop();
  }

  /** The notices of each owner share a page. So a worker gets the jobs of an entry together. */
  #notify(notices: readonly Notice[]): void {
    for (const [owner, owned] of Map.groupBy(notices, ({ owner_id: id }) => id))
      for (const box of this.#boxes.get(owner) ?? []) box.add(owned.map(copyOf));
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
    for (const boxes of [...this.#boxes.values()]) for (const box of [...boxes]) box.end();
  }

  async #pump(subscription: Subscription): Promise<void> {
    for await (const entries of subscription) {
      const notices = await this.#engine.read((state) => entries.flatMap((entry) => this.#take(state, entry)));
      this.#notify(notices);
      for (const source of this.#sources) await source.settle?.();
    }
  }

  #take(state: StateReader, entry: Entry): readonly Notice[] {
    const sources = new Set(entry.events.flatMap(({ type }) => this.#byEvent.get(type) ?? []));
    return [...sources].flatMap((source) => source.take(state, entry));
  }
}

/** Listeners in this process may change what they get. */
function copyOf(notice: Notice): Notice {
  return copyJson(notice as unknown as JsonObject) as unknown as Notice;
}
