/** Exports of more than one page: each page is checked when it is imported, before the pages after it exist. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { importPages, missingSections, sectionsOf } from "../../server/src/doors/cli/program/import-pages.ts";
import { exportText } from "../../server/src/packs/programs/language/export-text.ts";
import { programOf } from "./program-fixture.ts";
import { ledger } from "./programs-node.ts";

const long = `/// ${"A long text. ".repeat(7_500)}`;

/** Callers come before their callees by id, and two functions of different pages by id call each other. */
const texts = [
  `${long}\npub fn top() -> i64 { middle() + odd(3) }`,
  `${long}\npub fn odd(n: i64) -> i64 requires n >= 0 { if n == 0 { 0 } else { even(n - 1) } }`,
  `${long}\npub fn middle() -> i64 ensures result > 0 { leaf() + 1 }`,
  `${long}\npub fn other() -> i64 { top() }`,
  `${long}\npub fn more() -> i64 { other() }`,
  `${long}\npub fn leaf() -> i64 ensures result >= 0 { 7 }`,
  `${long}\npub fn even(n: i64) -> i64 requires n >= 0 { if n == 0 { 1 } else { odd(n - 1) } }`,
];

const pagesOf = (program: ReturnType<typeof programOf>): readonly string[] => {
  const pages: string[] = [];
  for (let after: string | null = null; pages.length === 0 || after !== null;) {
    const page = exportText(program, after);
    assert.ok(page);
    pages.push(page.text);
    after = page.next;
  }
  return pages;
};

test("the pages of a long export can be imported one after the other, each with its check [G10]", async () => {
  const pages = pagesOf(programOf(texts));
  assert.equal(pages.length, 2);
  assert.ok(pages.every((page) => page.length <= 524_288));
  const { node, ann } = await ledger([]);
  await using _ = node;
  await ann.done("acquire-lock", { paths: [{ path: "program/ledger", mode: "write", scope: "tree" }] });
  for (const text of pages) await ann.done("programs.import", { text });
  assert.equal((await ann.done("programs.verify"))["valid"], true);
  const first = await ann.done("programs.export");
  const second = await ann.done("programs.export", { after: first["next"] as string });
  assert.deepEqual([first["text"], second["text"], second["next"]], [...pages, null]);
  const { outcome } = await ann.send("programs.export", { after: "function/gone" });
  assert.equal(outcome.kind === "refusal" && outcome.code, "programs.not_found");
  assert.equal((outcome.data as JsonObject)["id"], "function/gone");
});

test("items that reach each other are on one page, and a page needs no item of a later page", () => {
  const pages = pagesOf(programOf(texts));
  const idsOf = (page: string): readonly string[] => sectionsOf(page).map(({ id }) => id);
  const pageOf = (id: string): number => pages.findIndex((page) => idsOf(page).includes(id));
  assert.equal(pageOf("f2"), pageOf("f7"), "odd and even");
  for (const [caller, callee] of [
    ["f1", "f3"],
    ["f1", "f2"],
    ["f3", "f6"],
    ["f4", "f1"],
    ["f5", "f4"],
  ] as const)
    assert.ok(pageOf(callee) <= pageOf(caller), `${caller} calls ${callee}`);
});

test("the command line sends the pages of a file as they were exported, without the items that exist", () => {
  const pages = pagesOf(programOf(texts));
  const sections = sectionsOf(pages.join("\n@page\n"));
  const sent = importPages(sections).map((page) => page.map(({ text }) => text));
  assert.deepEqual(
    sent,
    pages.map((page) => sectionsOf(page).map(({ text }) => text)),
  );
  const present = sectionsOf(pages[0] ?? "");
  assert.deepEqual(
    importPages(missingSections(sections, present)).map((page) => page.map(({ text }) => text)),
    sent.slice(1),
  );
});
