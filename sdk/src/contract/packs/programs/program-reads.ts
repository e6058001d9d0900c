/** The reads of a program: functions, types, calls, history, verification, simulation and export. */
import Type from "typebox";
import { isoTime, line } from "../../agents.ts";
import { limit, version } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import type { Touch } from "../../rights.ts";
import { get, post } from "../../routes.ts";
import { mutatedItem } from "./programs-events.ts";
import {
  contentHash,
  program,
  programAuthor,
  programDiagnostic,
  programFunctionId,
  programIdOf,
  programModuleId,
  programTypeId,
} from "./program.ts";
import { programDifference, programEdge, programNode } from "./program-difference.ts";
import { ofProgram } from "./program-resource-operations.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });
const nothing = Type.Null();
const ofFunction = ({
  program_id: id,
  function_id: of,
}: {
  readonly program_id: string;
  readonly function_id: string;
}): Touch => ({ paths: [`${program.type}/${id}/function/${of}`] });
const readProgram = [{ verbs: ["read"], touches: ofProgram }] as const;
const readFunction = [{ verbs: ["read"], touches: ofFunction }] as const;
const target = { program_id: programIdOf, function_id: programFunctionId };
const pastProblems = ["programs.not_found", "version_not_found", "entry_erased", "history_archived"] as const;
const holders = Type.Array(
  Type.Object({ owner_id: Type.String(), mode: Type.String(), purpose: Type.Union([line, nothing]) }, closed),
);

const listFunctions = operation({
  name: "programs.list-functions",
  kind: "read",
  summary: "Lists functions by module and name, with their signatures, hashes, callers and lock holders.",
  input: Type.Object(
    {
      program_id: programIdOf,
      module_id: Type.Optional(programModuleId),
      name: Type.Optional(Type.String({ maxLength: 64, description: "The start of the name." })),
      after: Type.Optional(Type.String({ maxLength: 256 })),
      limit: Type.Optional(limit),
    },
    closed,
  ),
  output: Type.Object(
    {
      items: Type.Array(
        Type.Object(
          {
            function_id: programFunctionId,
            name: Type.String(),
            module_id: programModuleId,
            signature: Type.String(),
            hash: contentHash,
            version,
            nodes: count,
            callers: count,
            holders,
          },
          closed,
        ),
      ),
      next: Type.Union([Type.String(), nothing]),
    },
    closed,
  ),
  problems: ["programs.not_found"],
  rights: readProgram,
  routes: [get("/v1/programs/{program_id}/functions")],
  example: { program_id: "ledger", limit: 50 },
});

const getFunction = operation({
  name: "programs.get-function",
  kind: "read",
  summary: "Reads a function as text or as a graph, with its hash and the signatures that it calls.",
  input: Type.Object(
    {
      ...target,
      view: Type.Optional(Type.Enum(["text", "graph", "full"])),
      ids: Type.Optional(Type.Boolean({ description: "Prints the id of every node behind it." })),
      version: Type.Optional(version),
      position: Type.Optional(count),
      hash: Type.Optional(contentHash),
    },
    closed,
  ),
  output: Type.Object(
    {
      function_id: programFunctionId,
      name: Type.String(),
      module_id: programModuleId,
      hash: contentHash,
      signature_hash: contentHash,
      version,
      text: Type.Optional(Type.String()),
      nodes: Type.Optional(Type.Array(programNode)),
      edges: Type.Optional(Type.Array(programEdge)),
      callees: Type.Array(
        Type.Object({ function_id: Type.String(), signature: Type.Union([Type.String(), nothing]) }, closed),
      ),
      changed_at: isoTime,
      changed_by: programAuthor,
      position: Type.Integer(),
    },
    closed,
  ),
  problems: [...pastProblems],
  rights: readFunction,
  routes: [get("/v1/programs/{program_id}/functions/{function_id}")],
  example: { program_id: "ledger", function_id: "f1", view: "text" },
});

const listFunctionHistory = operation({
  name: "programs.list-function-history",
  kind: "read",
  summary: "Lists the versions of a function, the newest first.",
  input: Type.Object({ ...target, before: Type.Optional(count), limit: Type.Optional(limit) }, closed),
  output: Type.Object(
    {
      items: Type.Array(
        Type.Object(
          {
            version,
            hash: Type.Union([Type.String(), nothing], { description: "Null: the version removed the function." }),
            changed_at: isoTime,
            changed_by: programAuthor,
            position: Type.Integer(),
          },
          closed,
        ),
      ),
      next: Type.Union([Type.Integer(), nothing]),
    },
    closed,
  ),
  problems: [...pastProblems],
  rights: readFunction,
  routes: [get("/v1/programs/{program_id}/functions/{function_id}/history")],
  example: { program_id: "ledger", function_id: "f1" },
});

const side = Type.String({ maxLength: 64, description: "A version or a hash." });

const diffFunctions = operation({
  name: "programs.diff-functions",
  kind: "read",
  summary: "Compares two versions of a function: nodes, edges, signature, conditions and text.",
  input: Type.Object({ ...target, from: side, to: Type.Optional(side) }, closed),
  output: Type.Object(
    {
      function_id: programFunctionId,
      from: Type.Object({ version, hash: contentHash }, closed),
      to: Type.Object({ version, hash: contentHash }, closed),
      changes: programDifference,
      text_diff: Type.String(),
    },
    closed,
  ),
  problems: [...pastProblems],
  rights: readFunction,
  routes: [get("/v1/programs/{program_id}/functions/{function_id}/diff")],
  example: { program_id: "ledger", function_id: "f1", from: "1", to: "2" },
});

const listCalls = operation({
  name: "programs.list-calls",
  kind: "read",
  summary: "Walks the call graph from a function: its callers or its callees, breadth first.",
  input: Type.Object(
    {
      ...target,
      direction: Type.Optional(Type.Enum(["callers", "callees"])),
      depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      limit: Type.Optional(limit),
    },
    closed,
  ),
  output: Type.Object(
    {
      items: Type.Array(
        Type.Object({ function_id: programFunctionId, name: Type.String(), depth: Type.Integer() }, closed),
      ),
      cycle: Type.Boolean({ description: "Whether the function reaches itself." }),
      truncated: Type.Boolean(),
    },
    closed,
  ),
  problems: ["programs.not_found", "check_unavailable"],
  rights: readProgram,
  routes: [get("/v1/programs/{program_id}/calls")],
  example: { program_id: "ledger", function_id: "f1", direction: "callers" },
});

const shownType = {
  type_id: programTypeId,
  name: Type.String(),
  module_id: programModuleId,
  hash: contentHash,
  version,
  text: Type.String(),
};

const listTypes = operation({
  name: "programs.list-types",
  kind: "read",
  summary: "Lists the types of a program with their texts, ordered by id.",
  input: Type.Object(
    { program_id: programIdOf, after: Type.Optional(programTypeId), limit: Type.Optional(limit) },
    closed,
  ),
  output: Type.Object(
    { items: Type.Array(Type.Object(shownType, closed)), next: Type.Union([programTypeId, nothing]) },
    closed,
  ),
  problems: ["programs.not_found"],
  rights: readProgram,
  routes: [get("/v1/programs/{program_id}/types")],
  example: { program_id: "ledger" },
});

const getType = operation({
  name: "programs.get-type",
  kind: "read",
  summary: "Reads a type as text, with its hash.",
  input: Type.Object({ program_id: programIdOf, type_id: programTypeId }, closed),
  output: Type.Object(shownType, closed),
  problems: ["programs.not_found"],
  rights: readProgram,
  routes: [get("/v1/programs/{program_id}/types/{type_id}")],
  example: { program_id: "ledger", type_id: "t1" },
});

const verify = operation({
  name: "programs.verify",
  kind: "read",
  summary: "Checks the whole program without caches: every hash, every text, every type and every condition.",
  input: Type.Object(
    {
      program_id: programIdOf,
      function_ids: Type.Optional(
        Type.Array(programFunctionId, {
          ...{ minItems: 1, maxItems: 1_000 },
          description: "Only these functions and their transitive callers.",
        }),
      ),
    },
    closed,
  ),
  output: Type.Object(
    {
      valid: Type.Boolean(),
      errors: Type.Array(programDiagnostic),
      warnings: Type.Array(programDiagnostic),
      wrong_hashes: Type.Array(Type.String()),
      functions: count,
      nodes: count,
      tested: count,
      untested: count,
      cases: count,
      steps: count,
      version,
      check: Type.String(),
    },
    closed,
  ),
  problems: ["programs.not_found", "check_unavailable"],
  rights: readProgram,
  routes: [post("/v1/programs/{program_id}/verify")],
  example: { program_id: "ledger" },
});

const simulate = operation({
  name: "programs.simulate-function",
  kind: "read",
  summary: "Runs a function with given inputs. Conditions are evaluated on every call.",
  input: Type.Object(
    {
      ...target,
      inputs: Type.Union([Type.Array(Type.Unknown()), Type.Record(Type.String(), Type.Unknown())]),
      steps: Type.Optional(Type.Integer({ minimum: 1, maximum: 50_000_000 })),
      trace: Type.Optional(Type.Boolean()),
      console: Type.Optional(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 1_000 })),
      position: Type.Optional(
        Type.Integer({ minimum: 1, description: "The program as it was at this position; at most 200 functions." }),
      ),
    },
    closed,
  ),
  output: Type.Object(
    {
      status: Type.Enum(["returned", "trapped", "condition_failed", "out_of_steps"]),
      result: Type.Optional(Type.Unknown()),
      steps: count,
      failure: Type.Optional(Type.Unknown()),
      output: Type.Array(Type.String()),
      trace: Type.Optional(Type.Array(Type.Unknown())),
    },
    closed,
  ),
  problems: [...pastProblems, "programs.limit_reached", "check_unavailable"],
  rights: readProgram,
  routes: [post("/v1/programs/{program_id}/simulate")],
  example: { program_id: "ledger", function_id: "f1", inputs: [2] },
});

const testFunction = operation({
  name: "programs.test-function",
  kind: "read",
  summary: "Tests the conditions of a function on generated cases. Failing cases are shrunk.",
  input: Type.Object(
    {
      ...target,
      cases: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
      seed: Type.Optional(Type.String({ maxLength: 128 })),
    },
    closed,
  ),
  output: Type.Object(
    { cases: count, passed: count, failures: Type.Array(Type.Unknown()), seed: Type.String() },
    closed,
  ),
  problems: ["programs.not_found", "check_unavailable"],
  rights: readProgram,
  routes: [post("/v1/programs/{program_id}/property-test")],
  example: { program_id: "ledger", function_id: "f1", cases: 100 },
});

const listMutations = operation({
  name: "programs.list-mutations",
  kind: "read",
  summary: "Lists the accepted mutations of a program, the newest first.",
  input: Type.Object({ program_id: programIdOf, before: Type.Optional(count), limit: Type.Optional(limit) }, closed),
  output: Type.Object(
    {
      items: Type.Array(
        Type.Object(
          {
            position: Type.Integer(),
            time: isoTime,
            by: programAuthor,
            what: Type.String(),
            of: Type.Optional(Type.Integer()),
            version,
            description: Type.Optional(line),
            items: Type.Array(Type.Object({ ...mutatedItem, version }, closed)),
          },
          closed,
        ),
      ),
      next: Type.Union([Type.Integer(), nothing]),
    },
    closed,
  ),
  problems: ["programs.not_found"],
  rights: readProgram,
  routes: [get("/v1/programs/{program_id}/history")],
  example: { program_id: "ledger" },
});

const exportation = operation({
  name: "programs.export",
  kind: "read",
  summary: "Exports a program as text with ids. `next` is the `after` of the next page.",
  input: Type.Object({ program_id: programIdOf, after: Type.Optional(Type.String({ maxLength: 60 })) }, closed),
  output: Type.Object({ text: Type.String(), next: Type.Union([Type.String(), nothing]) }, closed),
  problems: ["programs.not_found", "check_unavailable"],
  rights: readProgram,
  routes: [get("/v1/programs/{program_id}/export")],
  example: { program_id: "ledger" },
});

const getGrammar = operation({
  name: "programs.get-grammar",
  kind: "read",
  summary: "The grammar of programs with examples, for prompts.",
  input: Type.Object({}, closed),
  output: Type.Object({ text: Type.String() }, closed),
  problems: [],
  rights: [{ verbs: ["read", "write", "lock", "register"], touches: () => ({}) }],
  routes: [get("/v1/program-grammar")],
  example: {},
});

export const programReads = [
  ...[listFunctions, getFunction, listFunctionHistory, diffFunctions, listCalls, listTypes, getType],
  ...[verify, simulate, testFunction, listMutations, exportation, getGrammar],
];
