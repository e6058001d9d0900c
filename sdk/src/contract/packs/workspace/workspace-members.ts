/** The members that the operations of the workspace share: ids, locks, conditions and the facts of a record. */
import Type from "typebox";
import type { TProperties } from "typebox";
import { isoTime } from "../../agents.ts";
import { conditions, revision, version } from "../../conditions.ts";
import { fence } from "../../grant.ts";
import type { Right, Touch } from "../../rights.ts";
import { workspacePath } from "./workspace-path.ts";
import type { WorkspacePlace } from "./workspace-path.ts";

const closed = { additionalProperties: false } as const;

/** Folders of published files have these ids as names, so the names that the storage reserves are left out. */
const idOf = (thing: string) =>
  Type.String({
    pattern: "^(?!tmp$)(?!v\\.)[a-z0-9][a-z0-9._-]{0,63}$",
    description: `The id of ${thing}: up to 64 lower case letters, digits, dots, hyphens and underscores.`,
  });

export const workspaceMembers = {
  project: idOf("the project"),
  map: idOf("the map in its project"),
  sketch: idOf("the sketch in its map"),
  object: idOf("the object in its sketch"),
  template: idOf("the template"),
  approval: idOf("the approval in its project"),
} as const;

const { project, map, sketch, object } = workspaceMembers;
export const inProject = { project } as const;
export const inMap = { project, map } as const;
export const inSketch = { project, map, sketch } as const;
export const inObject = { project, map, sketch, object } as const;

/** How a caller proves its lock. Without both, the locks of its agent count. */
export const underLock = {
  fence: Type.Optional(
    Type.String({ ...fence, description: "The fence of the caller's lock. One fence of a set covers all its paths." }),
  ),
  lock: Type.Optional(
    Type.Literal("take", {
      description: "Takes the lock for this request alone, if nothing blocks it. It is never the default.",
    }),
  ),
} as const;

const { expected_version, expected_revision } = conditions;

/** The expected version of the record that changes. */
export const recordConditions = { expected_version, expected_revision } as const;

export const workspaceName = Type.String({ minLength: 1, maxLength: 200 });
export const workspaceText = Type.String({ maxLength: 2_000 });

/** The changes of a name and a description. Null removes the description. */
export const describedChanges = {
  name: Type.Optional(workspaceName),
  description: Type.Optional(Type.Union([workspaceText, Type.Null()])),
} as const;

export const workspaceLayer = Type.String({ minLength: 1, maxLength: 100 });
export const coordinate = Type.Number({ minimum: -1e9, maximum: 1e9 });
export const objectCount = Type.Integer({ minimum: 0 });

/** The facts of a record besides its fields. */
export const recordFacts = {
  version,
  revision,
  changed_at: isoTime,
  changed_by: Type.Object({ principal: Type.String(), agent: Type.Optional(Type.String()) }, closed),
  position: Type.Integer({ description: "The position of the entry that made this version." }),
} as const;

/** The result of a write of one record. It has no values, so every caller that may write sees it whole. */
export const writtenRecord = <Members extends TProperties>(members: Members) =>
  Type.Object(
    {
      ...members,
      version,
      revision,
      changed: Type.Boolean({ description: "False if the record already had these values. Its revision stays." }),
      previous_revision: Type.Union([revision, Type.Null()]),
    },
    closed,
  );

export const workspacePage = <Item extends Type.TSchema>(item: Item) =>
  Type.Object(
    {
      items: Type.Array(item),
      next: Type.Union([Type.String(), Type.Null()], { description: "Send it as `after` for the next page." }),
    },
    closed,
  );

export const ofPlace = ({ project: p, map: m, sketch: s }: WorkspacePlace): Touch => ({
  paths: [workspacePath({ project: p, map: m, sketch: s })],
});

type LockedInput = WorkspacePlace & { readonly lock?: string };

/** A lock that a write takes for itself needs the right to lock. A read takes none that could block others. */
export const writesPlace: readonly [Right<LockedInput>, Right<LockedInput>] = [
  { verbs: ["write"], touches: ofPlace },
  { verbs: ["lock"], touches: ofPlace, isNeeded: ({ lock }) => lock !== undefined },
];

export const readsPlace: readonly [Right<WorkspacePlace>] = [{ verbs: ["read"], touches: ofPlace }];

/** The rights of the operations on a record that needs a lock. */
export const lockedRights = { write: writesPlace, read: readsPlace } as const;

/** A taken lock in an example. */
export const takenLock = { lock: "take" } as const;

/** The problems of every operation that needs a role and a lock. */
export const lockProblems = [
  "workspace.lock_required",
  "workspace.role_missing",
  "workspace.restoring",
  "workspace.purging",
  "lock_denied",
  "entity_not_found",
  "entity_deleted",
] as const;

/** The further problems of every write of records. */
export const recordProblems = [
  ...lockProblems,
  "concurrency_mismatch",
  "kind_violated",
  "value_too_large",
  "space_full",
] as const;
