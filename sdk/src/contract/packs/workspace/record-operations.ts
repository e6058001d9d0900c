/** The operations that projects, maps, sketches and templates share: create, update, delete, get and list. */
import Type from "typebox";
import type { TProperties, TSchema } from "typebox";
import { limit } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import type { ProblemCode } from "../../core-problems.ts";
import type { Right } from "../../rights.ts";
import { get, ifMatch, patch, post, remove } from "../../routes.ts";
import { recordConditions, recordFacts, workspacePage, writtenRecord } from "./workspace-members.ts";

const closed = { additionalProperties: false } as const;

type Members = Readonly<Record<string, unknown>>;
type Rights = readonly [Right, ...Right[]];

/** A kind of record: its members, its routes and its words. */
interface RecordShape<
  Name extends string,
  Ids extends TProperties,
  Created extends TProperties,
  Changes extends TProperties,
  Shown extends TProperties,
  Proof extends TProperties,
  Deleted extends TProperties,
> {
  readonly name: Name;
  /** The members that identify the record. */
  readonly ids: Ids;
  readonly created: Created;
  readonly changes: Changes;
  /** The fields of the record in an answer, besides its ids and facts. */
  readonly shown: Shown;
  /** The members by which a caller proves its lock; none if no lock is needed. */
  readonly proof: Proof;
  /** Further members of a deletion. */
  readonly deleted: Deleted;
  readonly routes: { readonly all: string; readonly one: string };
  readonly summaries: Readonly<Record<"create" | "update" | "delete" | "get", string>>;
  readonly problems: Readonly<Record<"create" | "update" | "delete" | "get", readonly ProblemCode[]>>;
  readonly rights: { readonly write: Rights; readonly read: Rights };
  readonly examples: Readonly<Record<"ids" | "created" | "changes" | "proof" | "deleted", Members>>;
}

export function recordOperations<
  const Name extends string,
  Ids extends TProperties,
  Created extends TProperties,
  Changes extends TProperties,
  Shown extends TProperties,
  Proof extends TProperties,
  Deleted extends TProperties,
>(shape: RecordShape<Name, Ids, Created, Changes, Shown, Proof, Deleted>) {
  const { name, ids, proof, routes, summaries, problems, rights, examples } = shape;
  const written = {
    kind: "write",
    hasOpenReply: true,
    output: writtenRecord(ids),
    rights: rights.write as never,
  } as const;
  const expected = { expected_revision: "1.1" };
  const shown = Type.Object({ ...ids, ...shape.shown, ...recordFacts }, closed);
  return {
    shown,
    create: operation({
      ...written,
      name: `workspace.create-${name}` as const,
      summary: summaries.create,
      input: Type.Object({ ...ids, ...shape.created, ...proof }, closed),
      problems: problems.create,
      routes: [post(routes.all, { status: 201 })],
      example: { ...examples.ids, ...examples.created, ...examples.proof } as never,
    }),
    update: operation({
      ...written,
      name: `workspace.update-${name}` as const,
      summary: `${summaries.update}: \`changes\` is a merge patch.`,
      input: Type.Object(
        {
          ...ids,
          changes: Type.Object(shape.changes, { ...closed, minProperties: 1 }),
          ...proof,
          ...recordConditions,
        },
        closed,
      ),
      problems: problems.update,
      routes: [patch(routes.one, { ...ifMatch, patches: "changes" })],
      example: { ...examples.ids, changes: examples.changes, ...examples.proof, ...expected } as never,
    }),
    remove: operation({
      ...written,
      name: `workspace.delete-${name}` as const,
      summary: summaries.delete,
      input: Type.Object({ ...ids, ...shape.deleted, ...proof, ...recordConditions }, closed),
      problems: problems.delete,
      routes: [remove(routes.one, ifMatch)],
      example: { ...examples.ids, ...examples.deleted, ...examples.proof, ...expected } as never,
    }),
    get: operation({
      name: `workspace.get-${name}` as const,
      kind: "read",
      summary: summaries.get,
      input: Type.Object({ ...ids, ...proof }, closed),
      output: shown,
      problems: problems.get,
      rights: rights.read as never,
      routes: [get(routes.one)],
      example: { ...examples.ids, ...examples.proof } as never,
    }),
  };
}

interface ListShape<
  Name extends string,
  Parent extends TProperties,
  After extends TSchema,
  Item extends TSchema,
  Proof extends TProperties,
> {
  readonly name: Name;
  readonly summary: string;
  /** The members that identify the record above. */
  readonly parent: Parent;
  /** The id of a record, as a cursor. */
  readonly after: After;
  readonly item: Item;
  readonly proof: Proof;
  readonly route: string;
  readonly problems: readonly ProblemCode[];
  readonly rights: Rights;
  readonly example: Members;
}

/** A list of records of one kind, ordered by id. */
export function recordList<
  const Name extends string,
  Parent extends TProperties,
  After extends TSchema,
  Item extends TSchema,
  Proof extends TProperties,
>({
  name,
  summary,
  parent,
  after,
  item,
  proof,
  route,
  problems,
  rights,
  example,
}: ListShape<Name, Parent, After, Item, Proof>) {
  return operation({
    name: `workspace.list-${name}` as const,
    kind: "read",
    summary,
    input: Type.Object({ ...parent, after: Type.Optional(after), limit: Type.Optional(limit), ...proof }, closed),
    output: workspacePage(item),
    problems,
    rights: rights as never,
    routes: [get(route)],
    example: example as never,
  });
}
