import assert from "node:assert/strict";
import { test } from "node:test";
import { finished, guarantees } from "../guarantees.ts";
import { assertNone } from "./phrases.ts";
import { filesUnder, type ProjectFile } from "./tree.ts";

/** Number of promises in each row. They are numbered from 1, and a number is never reused. */
const counts = { M: 14, P: 9, G: 12, B: 12, W: 13, X: 15 };

/** A title that ends with ids in square brackets: "… [M2 X4]". */
const citation = / \[([A-Z]\d+(?:[ ,]+[A-Z]\d+)*)\]["'`]/g;

const thisFile = "test/tidy/guarantees.test.ts";
const isWritten = ({ path }: ProjectFile): boolean => path !== thisFile && path !== "test/guarantees.ts";
const cites = (files: readonly ProjectFile[]) =>
  files.filter(isWritten).flatMap(({ path, text }) => idsIn(text).map((id) => ({ path, id })));
const idsIn = (text: string): readonly string[] =>
  [...text.matchAll(citation)].flatMap((match) => (match[1] ?? "").split(/[ ,]+/));

const byTests = cites(filesUnder("test", ".ts"));
const byFigures = cites(filesUnder("bench", ".ts"));

test("every promise is listed once", () => {
  const expected = Object.entries(counts).flatMap(([row, count]) =>
    Array.from({ length: count }, (_, index) => `${row}${index + 1}`),
  );
  assert.deepEqual(guarantees.map(({ id }) => id).toSorted(), expected.toSorted());
});

test("every promise of a finished milestone is proven by a test, and every figure by a benchmark", () => {
  const proofs = { test: new Set(byTests.map(({ id }) => id)), figure: new Set(byFigures.map(({ id }) => id)) };
  const due = guarantees.filter(({ milestone }) => finished.includes(milestone));
  const unproven = due.filter(({ id, kind }) => !proofs[kind].has(id));
  assertNone(unproven.map(({ id, kind, promise }) => `${id} is cited by no ${kind}: ${promise}`));
});

test("no test or benchmark cites a promise that does not exist", () => {
  const known = new Set(guarantees.map(({ id }) => id));
  assertNone(
    [...byTests, ...byFigures].filter(({ id }) => !known.has(id)).map(({ path, id }) => `${path} cites ${id}`),
  );
});

test("a citation is read from the end of a title", () => {
  assert.deepEqual(idsIn('test("a conflict explains itself [M2 X4]", run)'), ["M2", "X4"]);
  assert.deepEqual(idsIn('const path = "[M2]"; const list = paths["a [b]"];'), []);
});
