/**
 * The spatial index of each sketch in use. It is outside the machine and holds boxes only. A query first applies the
 * entries since the last one, at one moment with the state, so it finds exactly the objects of that state.
 */
import { workspaceObject } from "@holdfast/sdk/contract";
import type { Engine } from "../../../engine/engine.ts";
import { entityTable, isLive } from "../../../features/entities/entity-table.ts";
import type { StateReader } from "../../../machine/state.ts";
import { boxOfObject } from "../../../packs/workspace/geometry/object-distance.ts";
import type { ObjectValue } from "../../../packs/workspace/record-place.ts";
import { SketchBoxes } from "./sketch-boxes.ts";

/** Maximum objects of all indexes together. The least recently used sketch is evicted first. */
const objectsMax = 1_000_000;

/** Objects that are loaded at a time, so that other calls are not held up. */
const pageRows = 1_000;

interface IndexedSketch {
  readonly boxes: SketchBoxes;
  /** Every entry up to this position is applied. */
  position: number;
}

export class SketchIndex {
  readonly #engine: Pick<Engine, "head" | "scan" | "recentEntry">;
  /** In the order of their last use. */
  readonly #sketches = new Map<string, IndexedSketch>();
  readonly #objectsMax: number;
  readonly #loading = new Map<string, Promise<void>>();

  constructor(engine: Pick<Engine, "head" | "scan" | "recentEntry">, maximum = objectsMax) {
    this.#engine = engine;
    this.#objectsMax = maximum;
  }

  /** The boxes of a sketch as of this state; undefined if it must be loaded first. */
  boxesOf(state: StateReader, sketch: string): SketchBoxes | undefined {
    const found = this.#sketches.get(sketch);
    if (found === undefined || !this.#follow(state, sketch, found)) {
      this.#sketches.delete(sketch);
      return undefined;
    }
    this.#sketches.delete(sketch);
    this.#sketches.set(sketch, found);
    return found.boxes;
  }

  /** Loads a sketch in pages. Callers of the same sketch share the work. */
  load(sketch: string): Promise<void> {
    const running = this.#loading.get(sketch);
    if (running !== undefined) return running;
    const loading = this.#load(sketch).finally(() => this.#loading.delete(sketch));
    this.#loading.set(sketch, loading);
    return loading;
  }

  async #load(sketch: string): Promise<void> {
    const boxes = new SketchBoxes();
    // Entries during the load are applied again by the first query: each reads the newest row.
    const { position } = this.#engine.head;
    const prefix = prefixOf(sketch);
    for (let after: string | undefined = prefix; after !== undefined;) {
      const start: string = after;
      const rows = await this.#engine.scan((state) =>
        state.rows(entityTable).scan("subject", { prefix, after: start, limit: pageRows }),
      );
      for (const row of rows) if (isLive(row)) boxes.put(row.id, boxOfObject(row.value as unknown as ObjectValue));
      after = rows.length < pageRows ? undefined : rows.at(-1)?.subject;
    }
    this.#sketches.set(sketch, { boxes, position });
    this.#evict();
  }

  /** Applies the entries since the last query. False if they are not in memory, or the journal went back. */
  #follow(state: StateReader, sketch: string, indexed: IndexedSketch): boolean {
    const { position: head } = this.#engine.head;
    if (head < indexed.position) return false;
    const prefix = prefixOf(sketch);
    for (let position = indexed.position + 1; position <= head; position += 1) {
      const entry = this.#engine.recentEntry(position);
      if (entry === undefined) return false;
      for (const { subject } of entry.events) {
        if (!subject.startsWith(prefix)) continue;
        const row = state.rows(entityTable).get(subject);
        const id = subject.slice(subject.indexOf("/") + 1);
        if (isLive(row)) indexed.boxes.put(id, boxOfObject(row.value as unknown as ObjectValue));
        else indexed.boxes.delete(id);
      }
      indexed.position = position;
    }
    return true;
  }

  #evict(): void {
    let objects = [...this.#sketches.values()].reduce((sum, { boxes }) => sum + boxes.size, 0);
    for (const [sketch, { boxes }] of this.#sketches) {
      if (objects <= this.#objectsMax || this.#sketches.size === 1) return;
      this.#sketches.delete(sketch);
      objects -= boxes.size;
    }
  }
}

function prefixOf(sketch: string): string {
  return `${workspaceObject.type}/${sketch}/`;
}
