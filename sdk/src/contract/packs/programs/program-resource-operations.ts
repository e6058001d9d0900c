/** The operations on programs themselves. */
import Type from "typebox";
import { isoTime, line } from "../../agents.ts";
import { conditions, limit, revision, version } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import type { Touch } from "../../rights.ts";
import { get, ifMatch, patch, post, remove } from "../../routes.ts";
import { program, programAuthor, programIdOf, programSettings } from "./program.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });

export const ofProgram = ({ program_id: id }: { readonly program_id?: string }): Touch => ({
  paths: [id === undefined ? program.type : `${program.type}/${id}`],
});

const shownProgram = Type.Object(
  {
    program_id: programIdOf,
    name: line,
    description: Type.Optional(line),
    settings: Type.Object({ cases: count, steps: count, retries: count }, closed),
    counts: Type.Object({ functions: count, types: count, modules: count, nodes: count }, closed),
    version: Type.Integer({ minimum: 1, description: "Every mutation makes a new version of the program." }),
    revision,
    changed_at: isoTime,
    changed_by: programAuthor,
    position: Type.Integer(),
  },
  closed,
);

const writtenProgram = Type.Object(
  {
    program_id: programIdOf,
    version,
    revision,
    changed: Type.Boolean(),
    previous_revision: Type.Union([revision, Type.Null()]),
  },
  closed,
);

const visibleToWriters = ["program_id"];

const create = operation({
  name: "programs.create",
  kind: "write",
  summary: "Creates an empty program. Without an id the server makes one. Only operators send `settings`.",
  input: Type.Object(
    {
      program_id: Type.Optional(programIdOf),
      name: line,
      description: Type.Optional(line),
      settings: Type.Optional(programSettings),
    },
    closed,
  ),
  output: writtenProgram,
  problems: ["entity_exists", "not_allowed", "programs.name_taken"],
  rights: [{ verbs: ["write"], touches: ofProgram }],
  visibleToWriters,
  routes: [post("/v1/programs", { status: 201 })],
  example: { program_id: "ledger", name: "Ledger" },
});

const list = operation({
  name: "programs.list",
  kind: "read",
  summary: "Lists programs, ordered by id. `next` is the `after` of the next page.",
  input: Type.Object({ after: Type.Optional(programIdOf), limit: Type.Optional(limit) }, closed),
  output: Type.Object({ items: Type.Array(shownProgram), next: Type.Union([programIdOf, Type.Null()]) }, closed),
  problems: [],
  rights: [{ verbs: ["read"], touches: () => ({ paths: [program.type] }) }],
  routes: [get("/v1/programs")],
  example: { limit: 50 },
});

const read = operation({
  name: "programs.get",
  kind: "read",
  summary: "Reads a program: its settings, counts and modules.",
  input: Type.Object({ program_id: programIdOf }, closed),
  output: Type.Object(
    {
      ...shownProgram.properties,
      modules: Type.Array(
        Type.Object(
          { module_id: Type.String(), name: Type.String(), parent: Type.Union([Type.String(), Type.Null()]) },
          closed,
        ),
      ),
    },
    closed,
  ),
  problems: ["programs.not_found"],
  rights: [{ verbs: ["read"], touches: ofProgram }],
  routes: [get("/v1/programs/{program_id}")],
  example: { program_id: "ledger" },
});

const update = operation({
  name: "programs.update",
  kind: "write",
  summary: "Changes the name, the description or the settings of a program. Only operators change `settings`.",
  input: Type.Object(
    {
      program_id: programIdOf,
      changes: Type.Object(
        {
          name: Type.Optional(line),
          description: Type.Optional(Type.Union([line, Type.Null()])),
          settings: Type.Optional(programSettings),
        },
        { ...closed, minProperties: 1 },
      ),
      ...conditions,
    },
    closed,
  ),
  output: writtenProgram,
  problems: ["programs.not_found", "concurrency_mismatch", "field_changed", "fence_stale", "not_allowed"],
  rights: [{ verbs: ["write"], touches: ofProgram }],
  visibleToWriters,
  routes: [patch("/v1/programs/{program_id}", { ...ifMatch, patches: "changes" })],
  example: { program_id: "ledger", changes: { description: "Accounts." }, expected_revision: "1.1" },
});

const deletion = operation({
  name: "programs.delete",
  kind: "write",
  summary: "Deletes a program under the lock of the whole program. Its items are removed in the next entries.",
  input: Type.Object({ program_id: programIdOf, ...conditions }, closed),
  output: writtenProgram,
  problems: ["programs.not_found", "programs.lock_required", "concurrency_mismatch", "field_changed", "fence_stale"],
  rights: [{ verbs: ["write"], touches: ofProgram }],
  visibleToWriters,
  routes: [remove("/v1/programs/{program_id}", ifMatch)],
  example: { program_id: "ledger", expected_revision: "1.1" },
});

export const programResourceOperations = [create, list, read, update, deletion];
