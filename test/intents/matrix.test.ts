/** The matrix of promises about intents, as data. Each row is proven here, or names the test that proves it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { clientNode } from "../client/client-node.ts";
import { bridgeRows } from "./bridge-rows.ts";
import { correctionRows } from "./correction-rows.ts";
import { httpNode } from "./http-node.ts";
import { matrixCategories } from "./matrix-row.ts";
import type { MatrixNode, MatrixRow } from "./matrix-row.ts";
import { raceRows } from "./race-rows.ts";

const root = join(import.meta.dirname, "..", "..");
const ways: readonly (readonly [way: string, start: () => Promise<MatrixNode>])[] = [
  ["in process", clientNode],
  ["over HTTP", httpNode],
];
const matrix: readonly MatrixRow[] = [...bridgeRows, ...correctionRows, ...raceRows];

describe("the matrix", () => {
  test("the matrix has 38 different rows, in the numbers of each category [B9]", () => {
    const counts: Record<string, number> = {};
    for (const { category } of matrix) counts[category] = (counts[category] ?? 0) + 1;
    assert.deepEqual(counts, matrixCategories);
    assert.equal(new Set(matrix.map(({ promise }) => promise)).size, 38);
  });

  test("each row about speed names its row of the benchmark [B9]", async () => {
    const bench = await readFile(join(root, "bench", "intents.ts"), "utf8");
    const rows = matrix.filter(({ category }) => category === "performance");
    for (const { figure = "none" } of rows) assert.ok(bench.includes(figure), figure);
  });

  for (const [index, { category, promise, prove }] of matrix.entries()) {
    const title = `row ${index + 1} of the matrix holds: ${category}, ${promise}`;
    if (typeof prove === "function") {
      for (const [way, start] of ways)
        test(`${title}, ${way} [B9]`, async () => {
          await using node = await start();
          await prove(node.fresh("ann"), node);
        });
    } else
      test(`${title} [B9]`, async () => {
        const text = await readFile(join(root, prove.file), "utf8");
        assert.ok(text.includes(prove.text), `${prove.file} lacks its test`);
      });
  }
});
