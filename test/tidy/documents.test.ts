import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { existsHere, looksLikeOurPath } from "./named-paths.ts";
import { assertNone } from "./phrases.ts";
import { projectFiles, root } from "./tree.ts";

const required = [
  "README.md",
  "ARCHITECTURE.md",
  "STYLE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "LICENSE",
];
const index = "docs/README.md";
const readmeCommands = ["npm ci && npm test", "npm start"];

const documents = projectFiles
  .filter(({ path }) => path.endsWith(".md"))
  .map(({ path, text }) => ({ path, text, prose: text.replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, "") }));

const headings = (prose: string): number => [...prose.matchAll(/^# /gm)].length;
const codeWords = (prose: string): readonly string[] =>
  [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
const withoutCode = (prose: string): string => prose.replace(/`[^`\n]*`/g, "");
const links = (prose: string): readonly string[] =>
  [...withoutCode(prose).matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]: (\S+)/gm)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
const isRelative = (link: string): boolean => !/^([a-z]+:|#)/i.test(link);

/** The anchors that GitHub makes from headings. */
const anchors = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );

test("the required documents exist", () => {
  assertNone(required.filter((path) => !existsSync(join(root, path))).map((path) => `${path} is missing`));
});

test("the README shows the commands that test and start the server", () => {
  const readme = documents.find(({ path }) => path === "README.md")?.text ?? "";
  assertNone(readmeCommands.filter((command) => !readme.includes(command)).map((command) => `no \`${command}\``));
});

test("the run that decides about a change is the README's test command, under a watchdog", () => {
  const run = projectFiles.find(({ path }) => path === ".ci/run")?.text ?? "";
  assert.ok(run.includes(`'${readmeCommands[0] ?? ""}'`));
});

test("every document has exactly one first heading", () => {
  const counted = documents.map(({ path, prose }) => ({ path, count: headings(prose) }));
  assertNone(counted.filter(({ count }) => count !== 1).map(({ path, count }) => `${path}: ${count} headings "# "`));
});

test("every relative link leads to a file", () => {
  const dead = documents.flatMap(({ path, prose }) =>
    links(prose)
      .filter((link) => isRelative(link) && !existsSync(join(root, dirname(path), link.replace(/#.*/, ""))))
      .map((link) => `${path}: ${link}`),
  );
  assertNone(dead);
});

test("every link to a heading leads to a heading that exists", () => {
  const dead = documents.flatMap(({ path, prose }) =>
    links(prose)
      .filter((link) => link.includes("#") && (isRelative(link) || link.startsWith("#")))
      .filter((link) => {
        const [file = "", anchor = ""] = link.split("#");
        const target = file === "" ? path : join(dirname(path), file);
        const found = documents.find((document) => document.path === target);
        return found !== undefined && !anchors(found.prose).includes(anchor);
      })
      .map((link) => `${path}: ${link}`),
  );
  assertNone(dead);
});

/** The files that the links of a document lead to. */
const targets = ({ path, prose }: { readonly path: string; readonly prose: string }): readonly string[] =>
  links(prose)
    .filter(isRelative)
    .map((link) => join(dirname(path), link.replace(/#.*/, "")));

/** Documents that the index does not link, or links more than once. */
function misplaced(paths: readonly string[], linked: readonly string[]): readonly string[] {
  return paths
    .map((path) => ({ path, count: linked.filter((each) => each === path).length }))
    .filter(({ count }) => count !== 1)
    .map(({ path, count }) => `${path}: ${count} links in ${index}`);
}

test("the index of the documents links every document once, and the README links the index", () => {
  const linksOf = (path: string): readonly string[] =>
    documents.filter((document) => document.path === path).flatMap(targets);
  const indexed = documents.map(({ path }) => path).filter((path) => path.startsWith("docs/") && path !== index);
  assertNone(misplaced(indexed, linksOf(index)));
  assert.ok(linksOf("README.md").includes(index));
});

test("the check of the index finds a document without a link and a document with two", () => {
  const linked = ["docs/a.md", "docs/b.md", "docs/b.md"];
  const found = ["docs/b.md: 2 links in docs/README.md", "docs/c.md: 0 links in docs/README.md"];
  assert.deepEqual(misplaced(["docs/a.md", "docs/b.md", "docs/c.md"], linked), found);
});

test("every path that a document names exists", () => {
  const missing = documents.flatMap(({ path, prose }) =>
    codeWords(prose)
      .filter((word) => looksLikeOurPath(word) && !existsHere(word, path))
      .map((word) => `${path}: \`${word}\``),
  );
  assertNone(missing);
});

test("the rule about paths distinguishes project files from routes, packages and lock paths", () => {
  const ours = ["server/src/gone.ts", "journal/gone/", "gone.ts", "test/**/*.gone.ts", "docs/gone"];
  const others = [
    "/v1/events",
    "@holdfast/sdk",
    "application/json",
    "project/7",
    "./data",
    "npm ci",
    "evt.lock.denied",
  ];
  for (const word of ours) assert.ok(looksLikeOurPath(word) && !existsHere(word, "README.md"), word);
  for (const word of others) assert.ok(!looksLikeOurPath(word), word);
  for (const word of ["test/tidy/tree.ts", "tree.ts", "test/**/*.test.ts", "{test,tools}/"]) {
    assert.ok(existsHere(word, "README.md"), word);
  }
});
