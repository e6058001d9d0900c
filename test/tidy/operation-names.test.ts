import assert from "node:assert/strict";
import { test } from "node:test";
import { allOperations } from "../../sdk/src/contract/all-operations.ts";
import { packs } from "../../sdk/src/contract/packs/packs.ts";
import { assertNone } from "./phrases.ts";
import { filesUnder } from "./tree.ts";

/** Code that takes a name apart or compares it. The record of an operation says what a layer needs to know. */
const inferences = [/endsWith\("-/u, /[!=]== "register-agent"/u, /operation\.indexOf\("-"\)/u];

/** The layers that a call passes. Each has the record of its operation. */
const layers = [
  ...["access", "app/calls", "app/notices", "checks", "doors", "engine", "machine", "observe", "operations"],
  "services",
];

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

function assertNoLine(folders: readonly string[], isFound: (line: string) => boolean, fault: string): void {
  const sources = folders.flatMap((folder) => filesUnder(folder, ".ts"));
  assert.ok(sources.length > 0);
  assertNone(
    sources.flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) => (isFound(line) ? [`${path}:${index + 1} ${fault}: ${line.trim()}`] : [])),
    ),
  );
}

test("no code infers anything from the spelling of an operation", () => {
  assertNoLine(["sdk/src", "server/src"], infers, "infers from a name");
});

test("no layer that a call passes compares the name of an operation", () => {
  const folders = layers.map((layer) => `server/src/${layer}`);
  assertNoLine(folders, compares, "compares a name");
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
