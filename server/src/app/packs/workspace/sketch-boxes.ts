/** The boxes of the objects of a sketch, in an R-tree: a search examines only the boxes near the wanted one. */
import RBush from "rbush";
import type { ObjectBox } from "../../../packs/workspace/geometry/object-distance.ts";

interface BoxItem extends ObjectBox {
  readonly id: string;
}

export class SketchBoxes {
  readonly #tree = new RBush<BoxItem>();
  /** The tree removes an item by its box and identity, so the item of each id is kept. */
  readonly #items = new Map<string, BoxItem>();

  get size(): number {
    return this.#items.size;
  }

  /** Adds a box, in place of the one of the same id. */
  put(id: string, { minX, minY, maxX, maxY }: ObjectBox): void {
    this.delete(id);
    const item = { id, minX, minY, maxX, maxY };
    this.#items.set(id, item);
    this.#tree.insert(item);
  }

  delete(id: string): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    this.#items.delete(id);
    this.#tree.remove(item);
  }

  /** The ids of the boxes that touch a box, in no order. */
  search(wanted: ObjectBox): readonly string[] {
    return this.#tree.search(wanted).map(({ id }) => id);
  }
}
