/**
 * An R-tree of boxes. It finds the boxes that touch another one without an examination of the rest. A node that became too large
 * is cut into two along its longer side. An empty node is removed; others are not merged, since sketches mostly grow.
 */
import type { ObjectBox } from "../../../packs/workspace/geometry/object-distance.ts";

interface TreeNode {
  box: ObjectBox;
  parent: TreeNode | undefined;
  /** The nodes below, or the boxes of a leaf. One of the two is empty. */
  children: TreeNode[];
  entries: BoxEntry[];
}

interface BoxEntry {
  readonly id: string;
  readonly box: ObjectBox;
}

/** Maximum boxes of a leaf, and maximum nodes below a node. */
const nodeMax = 16;

const nothing: ObjectBox = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };

export class BoxTree {
  #root: TreeNode = { box: nothing, parent: undefined, children: [], entries: [] };
  readonly #leaves = new Map<string, TreeNode>();

  get size(): number {
    return this.#leaves.size;
  }

  /** Adds a box, in place of the one of the same id. */
  put(id: string, box: ObjectBox): void {
    this.delete(id);
    let node = this.#root;
    while (node.children.length > 0) {
      node.box = union(node.box, box);
      node = nearest(node.children, box);
    }
    node.box = union(node.box, box);
    node.entries.push({ id, box });
    this.#leaves.set(id, node);
    for (let full: TreeNode | undefined = node; full !== undefined; full = full.parent)
      if (full.entries.length + full.children.length > nodeMax) this.#split(full);
  }

  delete(id: string): void {
    const leaf = this.#leaves.get(id);
    if (leaf === undefined) return;
    this.#leaves.delete(id);
    leaf.entries = leaf.entries.filter((entry) => entry.id !== id);
    for (let node: TreeNode | undefined = leaf; node !== undefined; node = node.parent) {
      const { parent } = node;
      if (node.entries.length + node.children.length === 0 && parent !== undefined)
        parent.children = parent.children.filter((child) => child !== node);
      node.box = boxOf(node);
    }
  }

  /** The ids of the boxes that touch a box, in no order. */
  search(wanted: ObjectBox): readonly string[] {
    const found: string[] = [];
    const open = [this.#root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const { id, box } of node.entries) if (touches(box, wanted)) found.push(id);
      for (const child of node.children) if (touches(child.box, wanted)) open.push(child);
    }
    return found;
  }

  #split(node: TreeNode): void {
    const isLeaf = node.children.length === 0;
    const [first, second] = isLeaf ? halves(node.entries) : halves(node.children);
    const made: TreeNode = { box: nothing, parent: node.parent, children: [], entries: [] };
    if (isLeaf) [node.entries, made.entries] = [first as BoxEntry[], second as BoxEntry[]];
    else [node.children, made.children] = [first as TreeNode[], second as TreeNode[]];
    for (const child of made.children) child.parent = made;
    for (const { id } of made.entries) this.#leaves.set(id, made);
    node.box = boxOf(node);
    made.box = boxOf(made);
    if (node.parent !== undefined) {
      node.parent.children.push(made);
      return;
    }
    this.#root = { box: union(node.box, made.box), parent: undefined, children: [node, made], entries: [] };
    [node.parent, made.parent] = [this.#root, this.#root];
  }
}

function union(a: ObjectBox, b: ObjectBox): ObjectBox {
  return {
    minX: Math.min(a.minX, b.minX),
    minY: Math.min(a.minY, b.minY),
    maxX: Math.max(a.maxX, b.maxX),
    maxY: Math.max(a.maxY, b.maxY),
  };
}

function boxOf({ children, entries }: TreeNode): ObjectBox {
  return [...children, ...entries].map(({ box }) => box).reduce(union, nothing);
}

function touches(a: ObjectBox, b: ObjectBox): boolean {
  return a.minX <= b.maxX && b.minX <= a.maxX && a.minY <= b.maxY && b.minY <= a.maxY;
}

/** Half of the outline: an area would be 0 for points and straight lines. */
function sides({ minX, minY, maxX, maxY }: ObjectBox): number {
  return maxX - minX + (maxY - minY);
}

/** The node that grows least, and the smallest of those. */
function nearest(nodes: readonly TreeNode[], box: ObjectBox): TreeNode {
  let [best, least, size] = [nodes[0], Infinity, Infinity];
  for (const node of nodes) {
    const own = sides(node.box);
    const growth = sides(union(node.box, box)) - own;
    if (growth < least || (growth === least && own < size)) [best, least, size] = [node, growth, own];
  }
  if (best === undefined) throw new Error("unreachable: a node without nodes below it is a leaf");
  return best;
}

/** The items in two halves by their middles, along the side on which these lie further apart. */
function halves<Item extends { readonly box: ObjectBox }>(items: readonly Item[]): readonly [Item[], Item[]] {
  const [ofX, ofY] = [({ box }: Item) => box.minX + box.maxX, ({ box }: Item) => box.minY + box.maxY];
  const spread = (of: (item: Item) => number): number => Math.max(...items.map(of)) - Math.min(...items.map(of));
  const of = spread(ofX) >= spread(ofY) ? ofX : ofY;
  const sorted = items.toSorted((a, b) => of(a) - of(b));
  const middle = sorted.length >>> 1;
  return [sorted.slice(0, middle), sorted.slice(middle)];
}
