/** The operations that change the content of a program, and those that find out what a change would do. */
import Type from "typebox";
import { line } from "../../agents.ts";
import { version } from "../../conditions.ts";
import { fence } from "../../grant.ts";
import { operation } from "../../operation.ts";
import type { Touch } from "../../rights.ts";
import { get, post } from "../../routes.ts";
import { contentHash, program, programDiagnostic, programIdOf, programVerdict } from "./program.ts";
import { programDifference } from "./program-difference.ts";
import { ofProgram } from "./program-resource-operations.ts";
import { isStructureStep, programStep, touchedItem } from "./program-steps.ts";
import type { MutationStep } from "./program-steps.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });

const mutationProblems = [
  ...(["agent_required", "agent_unknown", "check_contended", "check_unavailable", "fence_stale"] as const),
  ...(["programs.not_found", "programs.hashes_required", "programs.hash_conflict"] as const),
  ...(["programs.lock_required", "programs.structure_locked", "programs.text_invalid"] as const),
  ...(["programs.verification_failed", "programs.check_too_large", "programs.name_taken"] as const),
  ...(["programs.limit_reached", "programs.too_many_conflicts"] as const),
] as const;

const expectedHashes = Type.Record(Type.String({ maxLength: 50 }), contentHash, {
  description: "The hash of every function and type that the mutation touches, by id, as the caller last read it.",
});

const steps = Type.Array(programStep, { minItems: 1, maxItems: 100 });

const how = {
  description: Type.Optional(line),
  release: Type.Optional(Type.Boolean({ description: "Releases the locks that the mutation used, in its entry." })),
  fence: Type.Optional(fence),
};

const createdItem = Type.Object(
  {
    kind: Type.Enum(["function", "type", "module", "node"]),
    id: Type.String(),
    function_id: Type.Optional(Type.String()),
  },
  closed,
);

const itemChange = {
  name: Type.String(),
  change: Type.Enum(["added", "changed", "removed", "renamed", "moved"]),
  version,
  hash: Type.Union([contentHash, Type.Null()]),
  previous_hash: Type.Union([contentHash, Type.Null()]),
};

const changedFunction = Type.Object({ function_id: Type.String(), ...itemChange }, closed);

const changedType = Type.Object({ type_id: Type.String(), ...itemChange }, closed);

const accepted = Type.Object(
  {
    program_id: programIdOf,
    version: Type.Integer({ minimum: 1, description: "The version of the program after the mutation." }),
    position: Type.Integer(),
    changed: Type.Boolean(),
    functions: Type.Array(changedFunction),
    types: Type.Array(changedType),
    created: Type.Array(createdItem),
    verdict: programVerdict,
    released: Type.Optional(Type.Array(Type.String())),
  },
  closed,
);

const changedMembers = ["change", "version", "hash", "previous_hash"];

/** Ids and hashes. The names and the verdict are data of the program. */
const visibleToWriters = [
  ...["program_id", "created", "released", "functions.function_id", "types.type_id"],
  ...changedMembers.flatMap((name) => [`functions.${name}`, `types.${name}`]),
];

/** Every touched path. Structure steps touch the program. */
const ofSteps = ({
  program_id: id,
  mutations,
}: {
  readonly program_id: string;
  readonly mutations: readonly MutationStep[];
}): Touch => {
  const paths = mutations.flatMap((step) => {
    const item = touchedItem(step);
    const root = `${program.type}/${id}`;
    if (isStructureStep(step) || item === undefined) return [root];
    return [`${root}/${item}`];
  });
  return { paths: [...new Set(paths)] };
};

const mutate = operation({
  name: "programs.mutate",
  kind: "write",
  summary: "Applies steps to a program, all or nothing. Locks, hashes, change and verdict are decided in one entry.",
  input: Type.Object({ program_id: programIdOf, mutations: steps, expected_hashes: expectedHashes, ...how }, closed),
  output: accepted,
  problems: [...mutationProblems],
  rights: [{ verbs: ["write"], touches: ofSteps }],
  visibleToWriters,
  routes: [post("/v1/programs/{program_id}/mutations")],
  example: {
    program_id: "ledger",
    mutations: [{ type: "add_function", text: "pub fn double(x: i64) -> i64 { x + x }" }],
    expected_hashes: {},
  },
});

const checkMutation = operation({
  name: "programs.check-mutation",
  kind: "read",
  summary:
    "Checks a mutation without a lock and without a change: its errors, its hashes, and the locks that it needs.",
  input: Type.Object(
    {
      program_id: programIdOf,
      mutations: steps,
      // The body of a mutation is a body of this operation too.
      expected_hashes: Type.Optional(expectedHashes),
      ...how,
    },
    { ...closed, description: "The body of a mutation. Hashes are not compared, and no lock is used or released." },
  ),
  output: Type.Object(
    {
      ok: Type.Boolean(),
      errors: Type.Array(programDiagnostic),
      warnings: Type.Array(programDiagnostic),
      functions: Type.Array(
        Type.Object(
          {
            function_id: Type.String(),
            hash: Type.Union([contentHash, Type.Null()]),
            changes: Type.Union([programDifference, Type.Null()]),
          },
          closed,
        ),
      ),
      needs: Type.Object({ write: Type.Array(Type.String()), read: Type.Array(Type.String()) }, closed),
      verdict: Type.Optional(programVerdict),
    },
    closed,
  ),
  problems: ["programs.not_found", "check_unavailable"],
  rights: [{ verbs: ["read"], touches: ofProgram }],
  routes: [post("/v1/programs/{program_id}/check")],
  example: {
    program_id: "ledger",
    mutations: [{ type: "add_function", text: "pub fn double(x: i64) -> i64 { x + x }" }],
  },
});

const restored = Type.Array(
  Type.Object({ item: Type.String(), value: Type.Unknown(), agent: Type.Optional(Type.String()) }, closed),
);

const undoInput = Type.Object(
  {
    program_id: programIdOf,
    mutation: Type.Integer({ minimum: 1, description: "The position of the mutation, from programs.get-undo." }),
    expected_hashes: expectedHashes,
    ...how,
    restored: Type.Optional(restored),
  },
  closed,
);

const undoProblems = [
  ...mutationProblems,
  ...(["programs.undo_blocked", "programs.nothing_to_undo", "history_archived", "entry_erased"] as const),
];

const undo = operation({
  name: "programs.undo",
  kind: "write",
  summary: "Undoes the newest mutation of the agent, unless another agent changed one of its items since.",
  input: undoInput,
  output: accepted,
  problems: undoProblems,
  rights: [{ verbs: ["write"], touches: ofProgram }],
  visibleToWriters,
  routes: [post("/v1/programs/{program_id}/undo")],
  example: { program_id: "ledger", mutation: 12, expected_hashes: {} },
  sets: ["restored"],
});

const redo = operation({
  name: "programs.redo",
  kind: "write",
  summary: "Redoes the mutation that the agent undid last. A new mutation of the agent empties the list.",
  input: undoInput,
  output: accepted,
  problems: undoProblems,
  rights: [{ verbs: ["write"], touches: ofProgram }],
  visibleToWriters,
  routes: [post("/v1/programs/{program_id}/redo")],
  example: { program_id: "ledger", mutation: 12, expected_hashes: {} },
  sets: ["restored"],
});

const undoable = Type.Union([
  Type.Object(
    {
      mutation: Type.Integer(),
      items: Type.Array(
        Type.Object(
          {
            item: Type.String(),
            hash: Type.Union([Type.String(), Type.Null()], { description: "The hash that the mutation left." }),
            current_hash: Type.Union([Type.String(), Type.Null()]),
          },
          closed,
        ),
      ),
      write: Type.Array(Type.String(), { description: "The functions whose write locks it needs." }),
      structure: Type.Boolean({ description: "Whether it changes the structure." }),
    },
    closed,
  ),
  Type.Null(),
]);

const getUndo = operation({
  name: "programs.get-undo",
  kind: "read",
  summary: "Shows what undo and redo of the calling agent would change, with the hashes and locks that they need.",
  input: Type.Object({ program_id: programIdOf }, closed),
  output: Type.Object({ undo: undoable, redo: undoable, undo_count: count, redo_count: count }, closed),
  problems: ["programs.not_found", "agent_required"],
  rights: [{ verbs: ["read"], touches: ofProgram }],
  routes: [get("/v1/programs/{program_id}/undo")],
  example: { program_id: "ledger" },
});

const importation = operation({
  name: "programs.import",
  kind: "write",
  summary: "Adds the items of an export, into an empty program or under the lock of the whole program.",
  input: Type.Object(
    {
      program_id: programIdOf,
      text: Type.String({ minLength: 1, maxLength: 600_000, description: "One page of an export." }),
      ...how,
    },
    closed,
  ),
  output: accepted,
  problems: mutationProblems,
  rights: [{ verbs: ["write"], touches: ofProgram }],
  visibleToWriters,
  routes: [post("/v1/programs/{program_id}/import")],
  example: { program_id: "ledger", text: '@id("f1")\npub fn double(x: i64) -> i64 { x + x }' },
});

export const programMutations = [mutate, checkMutation, undo, redo, getUndo, importation];
