/** The reads of a program: calls, types, history, verification, simulation and export. Its functions come first. */
import Type from "typebox";
import { isoTime, line } from "../../agents.ts";
import { limit, revision, version } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import { get, post } from "../../routes.ts";
import { mutatedItem } from "./programs-events.ts";
import {
  contentHash,
  programAuthor,
  programDiagnostic,
  programFunctionId,
  programIdOf,
  programModuleId,
  programTypeId,
} from "./program.ts";
import { functionReads, functionTarget, pastProblems, readProgram } from "./function-reads.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });
const nothing = Type.Null();
const listCalls = operation({
  name: "programs.list-calls",
  kind: "read",
  summary: "Walks the call graph from a function: its callers or its callees, breadth first.",
  input: Type.Object(
    {
      ...functionTarget,
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
      cycle: Type.Array(programFunctionId, {
        description: "The functions of a shortest cycle, from the function itself. Empty: it does not reach itself.",
      }),
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
      position: Type.Integer({ description: "The position of the entry that made the verified revision." }),
      revision,
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
      ...functionTarget,
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
      ...functionTarget,
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

const hashAfter = Type.Union([Type.String(), nothing], {
  description: "Null: the item was removed, or it is a module, which has no hash.",
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
            items: Type.Array(Type.Object({ ...mutatedItem, hash: hashAfter, version }, closed)),
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
  ...functionReads,
  ...[listCalls, listTypes, getType],
  ...[verify, simulate, testFunction, listMutations, exportation, getGrammar],
];
