/** The reads of single functions: lists, texts, graphs, versions and their differences. */
import Type from "typebox";
import { isoTime, line } from "../../agents.ts";
import { limit, version } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import type { Touch } from "../../rights.ts";
import { get } from "../../routes.ts";
import { contentHash, program, programAuthor, programFunctionId, programIdOf, programModuleId } from "./program.ts";
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
export const readProgram = [{ verbs: ["read"], touches: ofProgram }] as const;
const readFunction = [{ verbs: ["read"], touches: ofFunction }] as const;
export const functionTarget = { program_id: programIdOf, function_id: programFunctionId };
export const pastProblems = ["programs.not_found", "version_not_found", "entry_erased", "history_archived"] as const;
const holders = Type.Array(
  Type.Object({ owner_id: Type.String(), mode: Type.String(), purpose: Type.Union([line, nothing]) }, closed),
);

/** The views of a function. Lists show none of them if absent. */
const view = Type.Enum(["text", "graph", "full"]);
const ids = Type.Boolean({ description: "Prints the id of every node behind it." });

const listFunctions = operation({
  name: "programs.list-functions",
  kind: "read",
  summary: "Lists functions by module and name, with their signatures, hashes, callers, lock holders and texts.",
  input: Type.Object(
    {
      program_id: programIdOf,
      module_id: Type.Optional(programModuleId),
      name: Type.Optional(Type.String({ maxLength: 64, description: "The start of the name." })),
      function_ids: Type.Optional(
        Type.Array(programFunctionId, { minItems: 1, maxItems: 100, description: "Only these functions." }),
      ),
      view: Type.Optional(view),
      ids: Type.Optional(ids),
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
            text: Type.Optional(Type.String({ description: "With the view `text` or `full`." })),
            graph: Type.Optional(
              Type.Object(
                { nodes: Type.Array(programNode), edges: Type.Array(programEdge) },
                { ...closed, description: "With the view `graph` or `full`." },
              ),
            ),
          },
          closed,
        ),
      ),
      next: Type.Union([Type.String(), nothing], {
        description: "The `after` of the next page. With a view a page ends after 10,000 nodes, so it may be short.",
      }),
    },
    closed,
  ),
  problems: ["programs.not_found"],
  rights: readProgram,
  routes: [get("/v1/programs/{program_id}/functions")],
  example: { program_id: "ledger", function_ids: ["f1", "f2"], view: "text" },
});

const getFunction = operation({
  name: "programs.get-function",
  kind: "read",
  summary: "Reads a function as text or as a graph, with its hash and the signatures that it calls.",
  input: Type.Object(
    {
      ...functionTarget,
      view: Type.Optional(view),
      ids: Type.Optional(ids),
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
  input: Type.Object({ ...functionTarget, before: Type.Optional(count), limit: Type.Optional(limit) }, closed),
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
  input: Type.Object({ ...functionTarget, from: side, to: Type.Optional(side) }, closed),
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

export const functionReads = [listFunctions, getFunction, listFunctionHistory, diffFunctions];
