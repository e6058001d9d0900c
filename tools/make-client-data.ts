/**
 * Writes the parts of the contract that the client needs as plain data: `node tools/make-client-data.ts`. So a client
 * loads no schema library. A test compares the files with the contract.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockOperations, packs, problems, publicOperations } from "@holdfast/sdk/contract";
import type { Operation, Problem } from "@holdfast/sdk/contract";

const folder = join(import.meta.dirname, "..", "sdk/src/client/data");
const made = "// Made from the contract by tools/make-client-data.ts; do not edit it.";

/** Every file, by its path, as it must be. */
export function clientDataFiles(): ReadonlyMap<string, string> {
  const packProblems = new Set(packs.flatMap((pack) => Object.keys(pack.problems)));
  const core = Object.entries(problems).filter(([code]) => !packProblems.has(code));
  const files = {
    "core-data.ts": dataFile("coreData", publicOperations, core),
    ...Object.fromEntries(
      packs.map((pack) => [
        `${pack.name}-data.ts`,
        dataFile(`${pack.name}Data`, pack.operations, Object.entries(pack.problems)),
      ]),
    ),
    "pack-loaders.ts": packLoadersFile(),
    "operation-list.ts": operationListFile(),
  };
  return new Map(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
}

function dataFile(
  name: string,
  operations: readonly Operation[],
  described: readonly (readonly [string, Problem])[],
): string {
  return [
    made,
    'import type { ContractData } from "./contract-data.ts";',
    "",
    `export const ${name}: ContractData = {`,
    "  operations: {",
    ...operations.map((operation) => `    ${JSON.stringify(operation.name)}: ${operationText(operation)},`),
    "  },",
    "  problems: {",
    ...described.map(([code, problem]) => `    ${JSON.stringify(code)}: ${problemText(problem)},`),
    "  },",
    "};",
    "",
  ].join("\n");
}

function operationText({ name, kind }: Operation): string {
  return literal({ kind, isAboutLocks: Object.hasOwn(lockOperations, name) ? true : undefined });
}

function problemText({ status, retry, title, next }: Problem): string {
  return literal({ status, retry, title, next });
}

function packLoadersFile(): string {
  return [
    made,
    'import type { ContractData } from "./contract-data.ts";',
    "",
    "/** Loads the data of a pack, by the name of the pack. */",
    "export const packLoaders: Readonly<Record<string, () => Promise<ContractData>>> = {",
    ...packs.map(({ name }) => `  ${name}: async () => (await import("./${name}-data.ts")).${name}Data,`),
    "};",
    "",
  ].join("\n");
}

function operationListFile(): string {
  const all = [...publicOperations, ...packs.flatMap(({ operations }) => operations)];
  return [
    made,
    "",
    "/** Every operation that a caller may send, with its summary. */",
    "export const operationList = [",
    ...all.map(({ name, kind, summary }) => `  ${literal({ name, kind, summary })},`),
    "] as const;",
    "",
  ].join("\n");
}

/** An object literal on one line, without absent members. */
function literal(members: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `{ ${texts.join(", ")} }`;
}

if (import.meta.main) {
  for (const [path, text] of clientDataFiles()) writeFileSync(path, text);
}
