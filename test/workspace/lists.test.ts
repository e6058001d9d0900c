/** Every list of the contract has a limit, and the server enforces it. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { test } from "node:test";
import { packs, publicOperations } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import { take, WorkspaceDecider } from "./workspace-decider.ts";

interface ListSchema {
  readonly properties?: Readonly<Record<string, { readonly maximum?: number; readonly maxItems?: number }>>;
}

/** Lists whose length is not that of stored data. */
const fixed: Readonly<Record<string, string>> = {
  "workspace.list-rules": "the rows of the rule table",
};

const all: readonly Operation[] = [...publicOperations, ...packs.flatMap(({ operations }) => operations)];
const membersOf = (schema: unknown) => (schema as ListSchema).properties ?? {};
const lists = all.filter(({ kind, output }) => kind === "read" && membersOf(output)["items"] !== undefined);

test("every list of the contract takes a limit of at most 1,000 items [W7]", () => {
  const unbounded = lists.filter(({ name, input, output }) => {
    const max = membersOf(input)["limit"]?.maximum ?? membersOf(output)["items"]?.maxItems ?? Infinity;
    return fixed[name] === undefined && max > 1_000;
  });
  assert.deepEqual(
    unbounded.map(({ name }) => name),
    [],
  );
  assert.ok(lists.length >= 20, String(lists.length));
});

test("a list of the workspace has 100 items unless its caller asks for more, and at most 1,000 [W7]", () => {
  const decider = new WorkspaceDecider();
  for (let number = 0; number < 1_005; number += 1) {
    const template = { template: `t${String(number).padStart(4, "0")}`, name: "t", maps: [{ map: "m", name: "m" }] };
    decider.done("create-template", template);
  }
  decider.done("create-project", { project: "p", name: "p", ...take });
  const page = (limit?: number) => {
    const input = defined({ limit });
    const { data } = decider.read("list-templates", input);
    return [(data["items"] as readonly unknown[]).length, data["next"] !== null];
  };
  assert.deepEqual(
    [page(), page(1_000)],
    [
      [100, true],
      [1_000, true],
    ],
  );
});

test("a page of large objects has at most 4 MB, and the next page continues after it [W7 X15]", () => {
  const decider = new WorkspaceDecider();
  const sketch = { project: "p", map: "m", sketch: "s" };
  decider.done("create-project", { project: "p", name: "p", ...take });
  decider.done("create-map", { project: "p", map: "m", name: "m", ...take });
  decider.done("create-sketch", { ...sketch, name: "s", ...take });
  const points = Array.from({ length: 10_000 }, (_none, index) => 1_000_000.123_456 + index);
  const count = 30;
  for (let number = 10; number < 10 + count; number += 1) {
    const value = { shape: "line", points };
    decider.done("change-objects", { ...sketch, changes: [{ op: "put", object: `o${number}`, value }], ...take });
  }
  const sizes: number[] = [];
  for (let after: unknown = "o"; after !== null;) {
    const { data } = decider.read("list-objects", { ...sketch, after, ...take } as never);
    const bytes = JSON.stringify(data["items"]).length;
    assert.ok(bytes < 4_100_000, `a page of ${bytes} bytes`);
    sizes.push((data["items"] as readonly unknown[]).length);
    after = data["next"];
  }
  assert.ok(sizes.length > 1, "all objects fit into a page");
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    count,
  );
});
