import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashFunction } from "../../server/src/packs/programs/language/hash.ts";
import {
  allNodes,
  type FunctionGraph,
  type GraphNode,
  type Input,
  mapNodes,
  mapRoots,
  renumber,
} from "../../server/src/packs/programs/language/node.ts";
import { graphOf } from "../../server/src/packs/programs/language/pack.ts";
import { printFunction } from "../../server/src/packs/programs/language/print-functions.ts";
import { boolType, i64Type, sameType } from "../../server/src/packs/programs/language/types.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { draftOf, functionOf, hash, programOf } from "./program-fixture.ts";
import { ProgramWriter } from "./random-program.ts";

const hashOf = (graph: FunctionGraph): string => hashFunction(graph, hash).hash;

const changeNode = (graph: FunctionGraph, id: number, change: (node: GraphNode) => Input): FunctionGraph =>
  mapRoots(graph, (root) => mapNodes(root, (node) => (node.id === id ? change(node) : node)));

/** Every single change of one node: op, attributes, edges, order and notes. */
function* changesOf(graph: FunctionGraph, node: GraphNode): Generator<readonly [string, FunctionGraph]> {
  yield ["op", changeNode(graph, node.id, (each) => ({ ...each, op: each.op === "add" ? "sub" : "add" }))];
  for (const [index, value] of node.attributes.entries()) {
    const other = Array.isArray(value) ? [...(value as string[]), "more"] : `${String(value)}x`;
    yield [
      "attribute",
      changeNode(graph, node.id, (each) => ({ ...each, attributes: each.attributes.with(index, other) })),
    ];
  }
  for (const [port, input] of node.inputs.entries()) {
    const targets = [...graph.parameters.map(({ id }) => id), ...[...allNodes(graph)].map(({ id }) => id)];
    const other = targets.find((id) => id !== input)!;
    yield ["edge", changeNode(graph, node.id, (each) => ({ ...each, inputs: each.inputs.with(port, other) }))];
  }
  for (const [at, region] of node.regions.entries()) {
    const add = (note: string) => region.map((item, order) => (order === 0 ? { ...item, note } : item));
    if (region.length > 0)
      yield ["note", changeNode(graph, node.id, (each) => ({ ...each, regions: each.regions.with(at, add("other")) }))];
    const [first, second] = region;
    if (first !== undefined && second !== undefined)
      yield [
        "order",
        changeNode(graph, node.id, (each) => ({
          ...each,
          regions: each.regions.with(at, [second, first, ...region.slice(2)]),
        })),
      ];
  }
}

function* headChanges(graph: FunctionGraph): Generator<readonly [string, FunctionGraph]> {
  yield ["name", { ...graph, name: `${graph.name}x` }];
  yield ["module", { ...graph, module: "m9" }];
  yield ["flags", { ...graph, public: !graph.public }];
  yield ["flags", { ...graph, io: !graph.io }];
  yield ["flags", { ...graph, total: !graph.total }];
  yield ["doc", { ...graph, doc: `${graph.doc ?? ""}x` }];
  yield ["result", { ...graph, result: sameType(graph.result, boolType) ? i64Type : boolType }];
  yield ["parameters", { ...graph, parameters: [...graph.parameters, { id: 9_999, name: "more", type: boolType }] }];
  for (const [index, each] of graph.parameters.entries()) {
    yield ["parameter name", { ...graph, parameters: graph.parameters.with(index, { ...each, name: "other" }) }];
    const type = sameType(each.type, boolType) ? i64Type : boolType;
    yield ["parameter type", { ...graph, parameters: graph.parameters.with(index, { ...each, type }) }];
  }
  yield ["ensures", { ...graph, ensures: [...graph.ensures, { value: 1, message: null }] }];
  yield ["requires", { ...graph, requires: [...graph.requires, { value: 1, message: "said" }] }];
}

test("every single change of a function changes its hash, and other ids of the same content do not [G6]", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const random = new Random(seed);
      const program = programOf(new ProgramWriter(random).texts(2));
      for (const id of program.functionIds()) {
        const graph = graphOf(functionOf(program, id));
        const own = hashOf(graph);
        const nodes = [...allNodes(graph)];
        const node = nodes.length === 0 ? undefined : random.pick(nodes);
        const changes = [...headChanges(graph), ...(node === undefined ? [] : changesOf(graph, node))];
        for (const [what, changed] of changes) assert.notEqual(hashOf(changed), own, `seed ${seed}, ${id}: ${what}`);
        const shift = (each: number): number => each * 7 + 3;
        const shifted = mapRoots(graph, (root) => renumber(root, shift));
        const moved = { ...shifted, parameters: graph.parameters.map((each) => ({ ...each, id: shift(each.id) })) };
        assert.equal(hashOf(moved), own);
        const options = { names: program.names, module: "m0" };
        assert.equal(printFunction(moved, options).text, printFunction(graph, options).text);
      }
    }),
    { numRuns: counts.programRuns, seed: 5 },
  );
});

test("rewiring a use to a twin of its value changes the hash", () => {
  const program = programOf([
    "fn one(x: i64) -> i64 { let a = x + 1; let b = x + 1; a * 2 }",
    "fn two(x: i64, y: i64) -> i64 { x + x }",
  ]);
  const hashes = [
    "fn one(x: i64) -> i64 { let a = x + 1; let b = x + 1; b * 2 }",
    "fn two(x: i64, y: i64) -> i64 { x + y }",
  ].map((text, index) => {
    const id = `f${index + 1}`;
    return [
      functionOf(program, id).hash,
      functionOf(draftOf(program, [{ type: "set_function", function_id: id, text }]), id).hash,
    ];
  });
  for (const [before, after] of hashes) assert.notEqual(before, after);
});

test("a change of one function, its signature and its name changes the hash of no other item [G10]", () => {
  const program = programOf([
    "fn leaf(x: i64) -> i64 { x }",
    "fn user(x: i64) -> i64 { leaf(x) }",
    "struct Box { side: i64, invariant leaf(side) == side }",
  ]);
  const draft = draftOf(program, [
    { type: "set_function", function_id: "f1", text: "pub fn leaf(x: i64, y: i64) -> i64 requires x > y { x + y }" },
    { type: "rename_function", function_id: "f1", name: "other" },
    { type: "rename_type", type_id: "t1", name: "Crate" },
  ]);
  assert.notEqual(draft.function("f1")!.signature_hash, program.function("f1")!.signature_hash);
  assert.equal(draft.function("f2")!.hash, program.function("f2")!.hash);
  assert.deepEqual([...draft.changed("function").keys()], ["f1"]);
});

test("renaming a parameter keeps the hash of the signature, and every other part of the signature changes it", () => {
  const program = programOf(["pub fn f(x: i64) -> i64 requires x > 0 ensures result > 0 { x }"]);
  const signature = (text: string): string =>
    functionOf(draftOf(program, [{ type: "set_function", function_id: "f1", text }]), "f1").signature_hash;
  const own = functionOf(program, "f1").signature_hash;
  assert.equal(signature("pub fn f(other: i64) -> i64 requires other > 0 ensures result > 0 { other + 1 }"), own);
  for (const text of [
    "fn f(x: i64) -> i64 requires x > 0 ensures result > 0 { x }",
    "pub io fn f(x: i64) -> i64 requires x > 0 ensures result > 0 { x }",
    "pub total fn f(x: i64) -> i64 requires x > 0 ensures result > 0 { x }",
    "pub fn f(x: i32) -> i64 requires x > 0 ensures result > 0 { 1 }",
    "pub fn f(x: i64) -> i64 requires x > 1 ensures result > 0 { x }",
    "pub fn f(x: i64) -> i64 requires x > 0 ensures result > 1 { x }",
  ])
    assert.notEqual(signature(text), own, text);
});
