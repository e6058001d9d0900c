/**
 * Writes the parts of the contract that the client needs as plain data: `node tools/make-client-data.ts`. So a client
 * loads no schema library. A test compares the files with the contract.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockOperations, notice, packs, problems, publicOperations, ownOperationsOf } from "@holdfast/sdk/contract";
import type { Operation, Problem } from "@holdfast/sdk/contract";
import { ContractShapes } from "./contract-shapes.ts";

const folder = join(import.meta.dirname, "..", "sdk/src/client/data");
const made = "// Made from the contract by tools/make-client-data.ts; do not edit it.";

/** Every file, by its path, as it must be. */
export function clientDataFiles(): ReadonlyMap<string, string> {
  const packProblems = new Set(packs.flatMap((pack) => Object.keys(pack.problems)));
  const core = Object.entries(problems).filter(([code]) => !packProblems.has(code));
  const files = {
    "core-data.ts": dataFile("coreData", publicOperations, core),
    "core-texts.ts": textsFile(core),
    ...Object.fromEntries(
      packs.map((pack) => [
        `${pack.name}-data.ts`,
        dataFile(`${pack.name}Data`, pack.operations, Object.entries(pack.problems)),
      ]),
    ),
    ...Object.fromEntries(
      packs.map(({ name, problems: own }) => [`${name}-guards.ts`, guardsFile(`packs/${name}-problem-data`, own)]),
    ),
    "problem-guards.ts": guardsFile("problem-data", Object.fromEntries(core)),
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
  const shapes = new ContractShapes();
  const operationLines = operations.map((each) => `    ${JSON.stringify(each.name)}: ${operationText(each, shapes)},`);
  const problemLines = described.map(
    ([code, each]) => `    ${JSON.stringify(code)}: ${problemText(code, each, shapes)},`,
  );
  const notices = name === "coreData" ? [`  notices: ${String(shapes.numberOf(notice))},`] : [];
  return [
    made,
    'import type { ContractData } from "./contract-data.ts";',
    "",
    `export const ${name}: ContractData = {`,
    "  operations: {",
    ...operationLines,
    "  },",
    "  problems: {",
    ...problemLines,
    "  },",
    ...notices,
    "  shapes: [",
    ...shapes.texts.map((text) => `    ${JSON.stringify(text)},`),
    "  ],",
    "};",
    "",
  ].join("\n");
}

function operationText(operation: Operation, shapes: ContractShapes): string {
  const { name, kind, input, output, isAboutCaller, isRepeatable } = operation;
  const needsAgent = isAboutCaller === true || Object.hasOwn(lockOperations, name) ? true : undefined;
  const numbers = { input: shapes.numberOf(input), output: shapes.numberOf(output) };
  return literal({ kind, ...numbers, needsAgent, isRepeatable });
}

/** The words of most core problems are in a file of their own, which a page loads on its first refusal. */
function problemText(code: string, problem: Problem, shapes: ContractShapes): string {
  const { status, retry, title, next, data } = problem;
  const words = hasOwnWords(code) ? { title, next } : {};
  return literal({ status, retry, ...words, data: data === undefined ? undefined : shapes.numberOf(data) });
}

/** Errors that the client makes before any reply, and those of packs. */
function hasOwnWords(code: string): boolean {
  return code.includes(".") || ["unreachable", "closed", "outcome_unknown"].includes(code);
}

function textsFile(described: readonly (readonly [string, Problem])[]): string {
  const apart = described.filter(([code]) => !hasOwnWords(code));
  return [
    made,
    'import type { CoreTexts } from "./contract-data.ts";',
    "",
    "export const coreTexts: CoreTexts = {",
    "  problems: {",
    ...apart.map(([code, { title, next }]) => `    ${JSON.stringify(code)}: ${literal({ title, next })},`),
    "  },",
    "  own: {",
    ...packs
      .flatMap(({ resources }) => resources)
      .map((each) => `    ${JSON.stringify(each.type)}: ${literal({ ...ownOperationsOf(each) })},`),
    "  },",
    "};",
    "",
  ].join("\n");
}

/** Short names of the guards that programs use most. */
const guardNames: Readonly<Record<string, string>> = { concurrency_mismatch: "isConflict", lock_denied: "isDenied" };

/** A guard for each problem with data. The mark lets a bundler leave out the guards that a program does not use. */
function guardsFile(file: string, all: Readonly<Record<string, Problem>>): string {
  const table = file.startsWith("packs/") ? `${file.slice(6).split("-")[0] ?? ""}ProblemData` : "coreProblemData";
  const codes = Object.keys(all).filter((code) => all[code]?.data !== undefined);
  return [
    made,
    'import type { Static } from "typebox";',
    `import type { ${table} } from "../../contract/${file}.ts";`,
    'import { problemGuard } from "../problem-guard.ts";',
    'import type { ProblemGuard } from "../problem-guard.ts";',
    'import type { ClientForm } from "./client-form.ts";',
    "",
    `type Data = typeof ${table};`,
    "type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;",
    "",
    ...codes.map(
      (code) => `export const ${guardName(code)}: Guard<"${code}"> = /* @__PURE__ */ problemGuard("${code}");`,
    ),
    "",
  ].join("\n");
}

export function guardName(code: string): string {
  const words = code.split(/[._]/u).map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return guardNames[code] ?? `is${words.join("")}`;
}

function packLoadersFile(): string {
  return [
    made,
    'import type { ContractData } from "./contract-data.ts";',
    "",
    "/** Loads the module of a pack, by the name of the pack. The data is all that it exports. */",
    "export const packLoaders: Readonly<Record<string, () => Promise<Readonly<Record<string, ContractData>>>>> = {",
    ...packs.map(({ name }) => `  ${name}: () => import("./${name}-data.ts"),`),
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
