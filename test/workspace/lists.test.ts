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
