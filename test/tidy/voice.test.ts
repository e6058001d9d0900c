import assert from "node:assert/strict";
import { test } from "node:test";
import { bannedPhrases, findBannedPhrases } from "./banned-phrases.ts";
import { checkedFiles, type CheckName, checks } from "./checks.ts";
import { findFileExports } from "./file-exports.ts";
import { findingLine } from "./finding.ts";
import { findLongSentences } from "./long-sentences.ts";
import { assertNone } from "./phrases.ts";
import { findTestTitles } from "./test-titles.ts";
import { findTypeNames } from "./type-names.ts";

const findings = (check: CheckName): readonly string[] => checks[check](checkedFiles).map(findingLine);

const linesOf = (found: readonly { readonly line: number }[]): readonly number[] => found.map(({ line }) => line);
const words = (count: number): string => `Word${" word".repeat(count - 1)}.`;

test("comments, messages and documents hold no banned phrase", () => {
  assertNone(findings("phrases"));
});

test("comments and documents hold one fact per sentence", () => {
  assertNone(findings("sentences"));
});

test("no two exported types share a name", () => {
  assertNone(findings("types"));
});

test("every file exports a name that holds the words of the file's name", () => {
  assertNone(findings("exports"));
});

test("every test title is a full sentence", () => {
  assertNone(findings("titles"));
});

test("each banned phrase is found in documents, comments, strings and other files", () => {
  for (const { example, write, phrase } of bannedPhrases) {
    const planted = [
      { path: "docs/planted.md", text: `# A page\n\n${example}\n` },
      { path: "server/src/planted.ts", text: `/**\n * ${example.replace(" ", "\n * ")} */\n` },
      { path: "server/src/planted.ts", text: `const limit = 5; // ${example}\n` },
      { path: "server/src/planted.ts", text: `throw new Error(\`${example} \${name({ a: "}" })}\`);\n` },
      { path: "server/src/planted.ts", text: `const text = /["'/]/u.test(a) ? "${example}" : "";\n` },
      { path: "server/sql/planted.sql", text: `-- ${example}\n` },
      { path: "examples/planted.py", text: `# ${example}\n` },
      { path: "docs/planted.yml", text: `summary: ok\n# ${example}\n` },
    ];
    for (const file of planted) {
      const messages = findBannedPhrases([file]).map(({ message }) => message);
      assert.ok(
        messages.some((message) => message.endsWith(write)),
        `${phrase} is not found in ${file.text}`,
      );
    }
  }
});

test("a banned phrase is found at its line, and code, questions and names are allowed", () => {
  const text = "# A page\n\nThe caller runs\n`tell`. It is\ntold the rest.\n";
  assert.deepEqual(linesOf(findBannedPhrases([{ path: "docs/planted.md", text }])), [5]);
  const allowed = [
    { path: "docs/planted.md", text: "What does it hold? Who waits? The command `look at` is mistaken for code." },
    { path: "sdk/src/planted.ts", text: 'const told = lists.map((wish) => wish.told); send("told");' },
    { path: "CHANGELOG.md", text: "The journal no longer grows." },
    { path: "test/mutants/planted.ts", text: 'const mutant = { find: "return wish.paths" };' },
    { path: "server/src/doors/cli/planted.ts", text: 'print("it can\'t be read");' },
  ];
  for (const file of allowed) assert.deepEqual(findBannedPhrases([file]), [], file.text);
});

test("a sentence of more than 25 words is found, and a paragraph with two semicolons or colons", () => {
  const text = `# A page\n\nShort. ${words(25)}\n\n${words(26)}\n\n- One; two.\n- Three; four; five.\n- Six: seven; eight: nine.\n`;
  assert.deepEqual(linesOf(findLongSentences([{ path: "docs/planted.md", text }])), [5, 8, 9]);
  const comment = `/**\n * ${words(20)}\n * - ${words(20)}\n *\n * ${words(26)}\n */\n// ${words(20)}\n// ${words(26)}\n`;
  assert.deepEqual(linesOf(findLongSentences([{ path: "server/src/planted.ts", text: comment }])), [5, 8]);
  const quoted = `const a = "${words(26)}";\nconst b = \`select ${words(40)} from batches\`;\n`;
  assert.deepEqual(linesOf(findLongSentences([{ path: "server/src/planted.ts", text: quoted }])), [1]);
  const code = `# A page\n\n\`\`\`ts\n${words(26)}\n\`\`\`\n\n| ${words(26)} |\n`;
  assert.deepEqual(findLongSentences([{ path: "docs/planted.md", text: code }]), []);
});

test("two exported types of one name are found, and a name that fits anything", () => {
  const planted = [
    { path: "sdk/src/a.ts", text: "export interface Holder {}\nexport type Grant = 1;\ninterface Page {}" },
    { path: "server/src/b.ts", text: "\nexport class Holder {}\ninterface Grant {}\nexport type Page = 2;" },
    { path: "server/src/c.ts", text: "interface Wish {}" },
  ];
  const found = findTypeNames(planted).map(({ path, line }) => `${path}:${line}`);
  assert.deepEqual(found.toSorted(), ["sdk/src/a.ts:1", "server/src/b.ts:2", "server/src/c.ts:1"]);
  const mirrored = ["sqlite", "postgres"].map((name) => `server/src/journal/${name}/append.ts`);
  assert.deepEqual(findTypeNames(mirrored.map((path) => ({ path, text: "export type AppendBatch = 1;" }))), []);
});

test("a file that exports nothing with its name is found", () => {
  const exported = (path: string, name: string) => findFileExports([{ path, text: `export const ${name} = 1;` }]);
  const named = [
    ["server/src/config/read-config.ts", "readConfig"],
    ["server/src/doors/cli/commands/agents.ts", "agentsCommand"],
    ["server/src/doors/http/open.ts", "openHttpDoor"],
    ["server/src/doors/http/openapi/openapi-page.ts", "OpenApiPage"],
    ["server/src/features/entities/entities.ts", "entityTable"],
    ["sdk/src/client/environment/host.node.ts", "hostName"],
  ] as const;
  for (const [path, name] of named) assert.deepEqual(exported(path, name), [], path);
  assert.equal(exported("server/src/config/read-config.ts", "configRead").length, 1);
  assert.equal(exported("server/src/config/read-config.ts", "parseFile").length, 1);
});

test("a test title that is a fragment is found", () => {
  const titlesIn = (title: string, call = "test") =>
    findTestTitles([{ path: "test/planted.test.ts", text: `${call}(\n  "${title}",\n  async () => {},\n);` }]);
  const fragments = [
    "is granted in the order of arrival [X5]",
    "that has ended is refused with its reason",
    "sees the loss before its lease ends",
    "released without an answer from the server",
    "an agent over a slow link",
    "a lock ends",
    "a lock ends with its lease.",
    "a lock can't outlive its agent",
    `a lock ${"often ".repeat(30)}ends`,
  ];
  for (const title of fragments) assert.equal(titlesIn(title).length, 1, title);
  const sentences = [
    "a late renewal cannot revive an expired lease [M9]",
    "two owners wait in the order of arrival",
    "the client stops watching an owner that has no locks, and resumes on the next acquire",
    "without a key the client does not retry a write",
  ];
  for (const title of sentences) assert.deepEqual(titlesIn(title), [], title);
  assert.equal(titlesIn("is granted in order of arrival", "  onEveryTransport").length, 1);
  assert.equal(titlesIn("a lock that is lost reports, and why:", "describe").length, 1);
  assert.deepEqual(titlesIn("leases", "describe"), []);
});
