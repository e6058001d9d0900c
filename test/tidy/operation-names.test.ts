import assert from "node:assert/strict";
import { test } from "node:test";
import { allOperations } from "../../sdk/src/contract/all-operations.ts";
import { packs } from "../../sdk/src/contract/packs/packs.ts";
import { assertNone } from "./phrases.ts";
import { filesUnder } from "./tree.ts";

/** Code that takes a name apart or compares it. The record of an operation says what a layer needs to know. */
const inferences = [/endsWith\("-/u, /[!=]== "register-agent"/u, /operation\.indexOf\("-"\)/u];

/** The files that may compare a name, each with its reason. */
const allowed: Readonly<Record<string, string>> = {
  "server/src/features/locks/tables/requests.ts":
    "a row stores which of the two operations a request was, in one character instead of 48 bytes",
  "sdk/src/client/jobs/job-worker.ts": "it compares the word of a notice, which is that of an operation too",
  "sdk/src/client/programs/programs-client.ts":
    "the signatures of its methods: three have no argument for the program, and no other layer needs to know",
  "sdk/src/client/locks/waiting/wait-for-ticket.ts":
    "the client made the request itself, and its operation is the tag of a union of two",
};

const names: ReadonlySet<string> = new Set([
  ...Object.keys(allOperations),
  ...packs.flatMap(({ operations }) => operations.map(({ name }) => name)),
]);

const infers = (text: string): boolean => inferences.some((inference) => inference.test(text));

/** True if a line compares something with the name of an operation, or collects names for a comparison. */
function compares(line: string): boolean {
  const isSet = line.includes("new Set([");
  return [...line.matchAll(/(?<before>[!=]== |\bcase |startsWith\(|)"(?<name>[^"]+)"/gu)].some(
    ({ groups: { before = "", name = "" } = {} }) => names.has(name) && (isSet || before !== ""),
  );
}

const sources = [...filesUnder("sdk/src", ".ts"), ...filesUnder("server/src", ".ts")];

function assertNoLine(files: typeof sources, isFound: (line: string) => boolean, fault: string): void {
  assertNone(
    files.flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) => (isFound(line) ? [`${path}:${index + 1} ${fault}: ${line.trim()}`] : [])),
    ),
  );
}

test("no code infers anything from the spelling of an operation", () => {
  assert.ok(sources.length > 500, String(sources.length));
  assertNoLine(sources, infers, "infers from a name");
});

test("no file of the server or the client compares the name of an operation, except the listed ones", () => {
  const others = sources.filter(({ path }) => !Object.hasOwn(allowed, path));
  assertNoLine(others, compares, "compares a name");
});

test("every file that may compare the name of an operation compares one", () => {
  const needed = sources.filter(({ text }) => text.split("\n").some(compares)).map(({ path }) => path);
  assert.deepEqual(needed.sort(), Object.keys(allowed).sort());
});

test("the rules about the names of operations catch their examples", () => {
  const inferred = ['name.endsWith("-entity")', 'if (name === "register-agent")', 'operation.indexOf("-")'];
  const compared = [
    'if (record.name !== "check-fence") return;',
    'case "planning.create-mission":',
    'const acquiring = new Set(["acquire-lock", "upgrade-lock"]);',
  ];
  assert.deepEqual([...inferred.filter((line) => !infers(line)), ...compared.filter((line) => !compares(line))], []);
  assert.ok(!compares('operation: "note-refusal",'));
});
