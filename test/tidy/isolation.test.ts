/** Tests use nothing of the machine they run on: no default port, no variable, home or data folder of the user. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEachCatchesItsExample, assertNone, type Exception, linesWith, type Phrase, without } from "./phrases.ts";
import { filesUnder, type ProjectFile } from "./tree.ts";

const ports: readonly Phrase[] = [
  {
    pattern: /(?<![\d_])(4653|4222|5432|6379|2379)(?![\d_])/,
    why: "a server of the user may listen there: take a free port",
    example: 'const url = "http://127.0.0.1:4653";',
  },
  {
    pattern: /\bnew (pg\.)?(Client|Pool|Redis|Etcd3)\(\)/,
    why: "without an address this connects to the default port",
    example: "const client = new pg.Client();",
  },
];

const variables: readonly Phrase[] = [
  {
    pattern: /\bprocess\.env\b(?!\["|\.[A-Z])/,
    why: "hands on what the user has set: use childEnvironment()",
    example: "const env = { ...process.env, HOLDFAST_PORT: 0 };",
  },
  {
    pattern: /\bprocess\.env(\["|\.)(?!HOLDFAST_(TEST_POSTGRES|SEED|MUTANT|REPETITION)\b|PATH\b)/,
    why: "the process that runs the tests does not get this variable",
    example: 'const url = process.env["HOLDFAST_URL"];',
  },
];

const homes: readonly Phrase[] = [
  { pattern: /\b(homedir|userInfo)\b/, why: "a test makes its own folder", example: "join(os.homedir(), name)" },
];

const processes: readonly Phrase[] = [
  {
    pattern: /^(?!import type ).*["'](node:)?(child_process|cluster)["']/,
    why: "start processes with test/scenario/spawn-child.ts, which gives them a clean environment",
    example: 'import { spawn } from "node:child_process";',
  },
];

const mayUse: readonly Exception[] = [
  { path: "test/tidy/isolation.test.ts", reason: "it names what it forbids" },
  { path: "test/scenario/child-environment.ts", reason: "it chooses the variables that a child inherits" },
  { path: "test/scenario/spawn-child.ts", reason: "it gives children a clean environment" },
  { path: "test/prove/proof-record.ts", reason: "git needs the settings of the user for a checkout of another owner" },
  { path: "test/client/find-server.test.ts", reason: "it sets the variables itself and replaces the network" },
  { path: "test/fuzz/fuzz-values.ts", reason: "the text is sent to a server" },
  { path: "test/machine/purity.test.ts", reason: "it proves that reading a variable throws" },
];

const files = without(filesUnder("test", ".ts"), mayUse);

/** Without an address the client takes HOLDFAST_URL, the nearest `.holdfast` or the default port. */
function findsItsServer({ text }: ProjectFile): boolean {
  const isClient = /import \{[^}]*\bconnect\b[^}]*\} from "(holdfast|@holdfast\/sdk)"/.test(text);
  return isClient && /(?<![.\w])connect\(\s*(undefined\b|\))/.test(text);
}

test("no test uses a default port, a variable or the home folder of the user [X12]", () => {
  assertNone(linesWith([...ports, ...variables, ...homes], files));
});

test("every process that a test starts gets a clean environment [X12]", () => {
  assertNone(linesWith(processes, files));
});

test("no test lets a client find a server of the user [X12]", () => {
  assertNone(files.filter(findsItsServer).map(({ path }) => `${path}: give connect() the address of a server`));
});

test("the rules about isolation catch what they forbid", () => {
  assertEachCatchesItsExample([...ports, ...variables, ...homes, ...processes]);
  const example = (call: string) => ({ path: "a.ts", text: `import { connect } from "holdfast";\nawait ${call};` });
  assert.ok(findsItsServer(example("connect()")));
  assert.ok(findsItsServer(example("connect(undefined, { token })")));
  assert.ok(!findsItsServer(example("connect(url)")));
  assert.ok(!findsItsServer(example("database.connect()")));
});

test("the rules about isolation allow an address of a test and a documented variable", () => {
  const lines = ["const seed = 14653;", 'process.env["HOLDFAST_TEST_POSTGRES"]', "from: process.env.PATH"];
  const allowed = [{ path: "a.ts", text: lines.join("\n") }];
  assertNone(linesWith([...ports, ...variables, ...homes, ...processes], allowed));
});
