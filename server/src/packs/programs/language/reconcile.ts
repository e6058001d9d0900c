/**
 * Gives the nodes of a parsed text the ids that they have in the stored function. Text contains no ids, so equal parts
 * are matched, in five passes. The first uses ids that the text gives. The second matches equal statements of the function.
 * The third matches equal subtrees, largest first. The fourth matches binders of the same name. The fifth matches the same
 * op in the same place. The rest gets new ids. It is deterministic and takes O(n log n).
 */
import { allNodes, binderName, type FunctionGraph, type GraphNode, type Input, mapRoots, renumber } from "./node.ts";
import { binderNames } from "./expression-printer.ts";

interface Tree {
  readonly node: GraphNode;
  /** Equal for equal subtrees: references count by the name of their binder, which scopes make unique. */
  readonly shape: number;
  readonly size: number;
  readonly children: readonly Child[];
}

interface Child {
  readonly place: string;
  readonly tree: Tree;
}

type Intern = (key: string) => number;

function interning(): Intern {
  const numbers = new Map<string, number>();
  return (key) => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  };
}

const root: GraphNode = { id: 0, op: "hole", attributes: [], inputs: [], regions: [] };

function treeOf(graph: FunctionGraph, intern: Intern): Tree {
  const names = binderNames(graph);
  const partOf = (input: Input, place: string): { key: string; child?: Child } => {
    if (typeof input === "number") return { key: `=${names.get(input) ?? "?"}` };
    const tree = build(input);
    return { key: String(tree.shape), child: { place, tree } };
  };
  const assemble = (node: GraphNode, head: string, parts: readonly { key: string; child?: Child }[]): Tree => {
    const children = parts.flatMap(({ child }) => (child === undefined ? [] : [child]));
    const size = children.reduce((sum, { tree }) => sum + tree.size, 1);
    return { node, shape: intern(`${head}|${parts.map(({ key }) => key).join("|")}`), size, children };
  };
  const build = (node: GraphNode): Tree => {
    const parts = [
      ...node.inputs.map((input, port) => partOf(input, `i${port}`)),
      ...node.regions.flatMap((region, index) => [
        { key: `r${region.length}` },
        ...region.map(({ value, note }, order) => {
          const part = partOf(value, `r${index}:${order}`);
          return note === null ? part : { ...part, key: `${part.key}/${JSON.stringify(note)}` };
        }),
      ]),
    ];
    return assemble(node, JSON.stringify([node.op, node.attributes]), parts);
  };
  const roots = { q: graph.requires, e: graph.ensures, b: graph.body };
  const parts = Object.entries(roots).flatMap(([name, list]) =>
    list.map(({ value }, order) => partOf(value, `${name}:${order}`)),
  );
  return assemble(root, "root", parts);
}

function* treesIn(tree: Tree): Generator<Tree, void> {
  yield tree;
  for (const child of tree.children) yield* treesIn(child.tree);
}

class Matching {
  /** New trees to the nodes of the base. */
  readonly pairs = new Map<Tree, Tree>();
  readonly #used = new Set<Tree>();

  isFree(fresh: Tree, base: Tree): boolean {
    return !this.pairs.has(fresh) && !this.#used.has(base);
  }

  isUsed(base: Tree): boolean {
    return this.#used.has(base);
  }

  match(fresh: Tree, base: Tree): void {
    this.pairs.set(fresh, base);
    this.#used.add(base);
  }

  /** Matches equal subtrees completely. */
  matchAll(fresh: Tree, base: Tree): void {
    if (this.isFree(fresh, base)) this.match(fresh, base);
    for (const [index, child] of fresh.children.entries()) {
      const other = base.children[index];
      if (other !== undefined) this.matchAll(child.tree, other.tree);
    }
  }
}

function grouped(
  trees: readonly Tree[],
  keyOf: (tree: Tree) => string | number | undefined,
): Map<string | number, Tree[]> {
  const groups = new Map<string | number, Tree[]>();
  for (const tree of trees) {
    const key = keyOf(tree);
    if (key === undefined) continue;
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [tree]);
    else list.push(tree);
  }
  return groups;
}

/**
 * Equal statements and conditions of a function keep their ids, in their order. Without this pass, a statement could take
 * the ids of an equal part of another statement that the edit removed.
 */
function matchStatements(matching: Matching, fresh: Tree, base: Tree): void {
  const keyOf = ({ place, tree: { shape } }: Child): string => `${place.slice(0, place.indexOf(":"))} ${shape}`;
  const free = Map.groupBy(base.children.toReversed(), keyOf);
  for (const child of fresh.children) {
    const candidate = free.get(keyOf(child))?.pop();
    if (candidate !== undefined && matching.isFree(child.tree, candidate.tree))
      matching.matchAll(child.tree, candidate.tree);
  }
}

function matchEqual(matching: Matching, fresh: readonly Tree[], base: readonly Tree[]): void {
  const groups = grouped(base, ({ shape }) => shape);
  const cursors = new Map<number, number>();
  for (const tree of fresh.toSorted((a, b) => b.size - a.size)) {
    if (matching.pairs.has(tree)) continue;
    const candidates = groups.get(tree.shape) ?? [];
    let at = cursors.get(tree.shape) ?? 0;
    while (at < candidates.length && !matching.isFree(tree, candidates[at] as Tree)) at += 1;
    cursors.set(tree.shape, at + 1);
    const candidate = candidates[at];
    if (candidate !== undefined) matching.matchAll(tree, candidate);
  }
}

function matchBinders(matching: Matching, fresh: readonly Tree[], base: readonly Tree[]): void {
  const keyOf = ({ node }: Tree): string | undefined => {
    const name = binderName(node);
    return name === undefined ? undefined : `${node.op} ${name}`;
  };
  const groups = grouped(base, keyOf);
  for (const tree of fresh) {
    const candidates = groups.get(keyOf(tree) ?? "") ?? [];
    const candidate = candidates.find((each) => matching.isFree(tree, each));
    if (candidate !== undefined) matching.match(tree, candidate);
  }
}

function matchPlaces(matching: Matching, fresh: readonly Tree[]): void {
  for (const tree of fresh) {
    const base = matching.pairs.get(tree);
    if (base === undefined) continue;
    const places = new Map(base.children.map((child) => [child.place, child.tree]));
    for (const { place, tree: child } of tree.children) {
      const candidate = places.get(place);
      if (candidate?.node.op === child.node.op && matching.isFree(child, candidate)) matching.match(child, candidate);
    }
    matchItems(matching, tree, base);
  }
}

/** Items of a region whose number changed: those of the same op are matched in their order. */
function matchItems(matching: Matching, tree: Tree, base: Tree): void {
  const keyOf = ({ place, tree: { node } }: Child): string => `${place.slice(0, place.indexOf(":") + 1)}${node.op}`;
  const isItem = ({ place }: Child): boolean => place.includes(":");
  const free = new Map<string, Tree[]>();
  for (const child of base.children.filter(isItem))
    if (!matching.isUsed(child.tree)) free.set(keyOf(child), [...(free.get(keyOf(child)) ?? []), child.tree]);
  for (const child of tree.children.filter(isItem)) {
    if (matching.pairs.has(child.tree)) continue;
    const candidate = free.get(keyOf(child))?.shift();
    if (candidate !== undefined) matching.match(child.tree, candidate);
  }
}

function matchGiven(
  matching: Matching,
  fresh: readonly Tree[],
  base: readonly Tree[],
  given: ReadonlyMap<number, number>,
): void {
  const byId = new Map(base.map((tree) => [tree.node.id, tree]));
  for (const tree of fresh) {
    const candidate = byId.get(given.get(tree.node.id) ?? -1);
    if (candidate?.node.op === tree.node.op && matching.isFree(tree, candidate)) matching.match(tree, candidate);
  }
}

/** Parameters keep their ids by name, then by place. */
function matchParameters(fresh: FunctionGraph, base: FunctionGraph): Map<number, number> {
  const ids = new Map<number, number>();
  const left = new Set(base.parameters.map(({ id }) => id));
  const take = (id: number, of: { readonly id: number } | undefined): void => {
    if (of !== undefined && !ids.has(id) && left.delete(of.id)) ids.set(id, of.id);
  };
  for (const { id, name } of fresh.parameters)
    take(
      id,
      base.parameters.find((each) => each.name === name),
    );
  for (const [index, { id }] of fresh.parameters.entries()) take(id, base.parameters[index]);
  return ids;
}

/** Maximum id that a text can give to a node of a new function. */
const givenIdMax = 1_000_000_000;

/** A new function takes the ids of its text, so that an export keeps them. Each is used once. */
function takeGiven(fresh: FunctionGraph, given: ReadonlyMap<number, number>, ids: Map<number, number>): void {
  const taken = new Set<number>();
  for (const { id } of [...fresh.parameters, ...allNodes(fresh)]) {
    const wanted = given.get(id);
    if (wanted === undefined || wanted < 1 || wanted > givenIdMax || taken.has(wanted)) continue;
    taken.add(wanted);
    ids.set(id, wanted);
  }
}

export function reconcile(
  fresh: FunctionGraph,
  base: FunctionGraph | undefined,
  given: ReadonlyMap<number, number> = new Map(),
): FunctionGraph {
  const ids = base === undefined ? new Map<number, number>() : matchParameters(fresh, base);
  if (base !== undefined) {
    const intern = interning();
    const matching = new Matching();
    const [newRoot, baseRoot] = [treeOf(fresh, intern), treeOf(base, intern)];
    const [newTrees, baseTrees] = [[...treesIn(newRoot)], [...treesIn(baseRoot)]];
    matching.match(newRoot, baseRoot);
    matchGiven(matching, newTrees, baseTrees, given);
    matchStatements(matching, newRoot, baseRoot);
    matchEqual(matching, newTrees, baseTrees);
    matchBinders(matching, newTrees, baseTrees);
    matchPlaces(matching, newTrees);
    for (const [tree, match] of matching.pairs) if (tree !== newRoot) ids.set(tree.node.id, match.node.id);
  }
  if (base === undefined) takeGiven(fresh, given, ids);
  let next = base?.next ?? Math.max(0, ...ids.values()) + 1;
  const order = [...fresh.parameters.map(({ id }) => id), ...[...allNodes(fresh)].map(({ id }) => id)];
  for (const id of order)
    if (!ids.has(id)) {
      ids.set(id, next);
      next += 1;
    }
  const idOf = (id: number): number => ids.get(id) ?? id;
  const parameters = fresh.parameters.map((parameter) => ({ ...parameter, id: idOf(parameter.id) }));
  return { ...mapRoots(fresh, (each) => renumber(each, idOf)), parameters, next };
}
