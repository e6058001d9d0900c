/**
 * Rights. A token is a list of allowances: verbs under a path prefix. An operation needs a verb on every path that it
 * touches. An entity has the path `type/id`, the same as the lock that guards it.
 */
import { isAtOrBelow } from "../base/is-at-or-below.ts";
import type { allOperations } from "./all-operations.ts";
import type { Allowance, Verb } from "./allowance.ts";
import type { OperationName } from "./all-operations.ts";
import type { InputOf } from "./operation.ts";
import { packOfOperation, resourceOfOperation } from "./packs/packs.ts";

/** The things that an operation touches, derived from its input. Empty: only what the caller owns. */
export interface Touch {
  readonly paths?: readonly string[];
  /** The paths of the grant with this fence. */
  readonly fence?: string | undefined;
  /** The paths of this ticket, or of the grant that it became. */
  readonly ticket?: string;
  /** The locks and tickets of this owner. */
  readonly owner?: string | undefined;
  /** This registration. */
  readonly agent?: string | undefined;
  /** The whole space. */
  readonly space?: true;
}

/** One of these verbs is required on everything that is touched. */
export interface Right<Input = never> {
  readonly verbs: readonly Verb[];
  readonly touches: (input: Input) => Touch;
  /** An alternative for callers that may not touch all of it. */
  readonly instead?: string;
}

type All = typeof allOperations;
type Rights = { readonly [Name in OperationName]: Right<InputOf<All[Name]>> };

const ofEntity = ({ type, id }: { readonly type: string; readonly id: string }): Touch => ({
  paths: [`${type}/${id}`],
});
const whole = (): Touch => ({ space: true });
const own = (): Touch => ({});
const ofPath = ({ path }: { readonly path: string }): Touch => ({ paths: [path] });
const ofFence = ({ fence }: { readonly fence: string }): Touch => ({ fence });
const ofTicket = ({ ticket }: { readonly ticket: string }): Touch => ({ ticket });

/** Both are checked if both are present. Otherwise one would bypass the check of the other. */
const ofHeld = (input: {
  readonly fence?: string;
  readonly path?: string;
  readonly paths?: readonly string[];
}): Touch => {
  const { fence, path, paths = path === undefined ? [] : [path] } = input;
  return { paths, fence };
};

const write = { verbs: ["write"], touches: ofEntity } as const;
const readEntity = { verbs: ["read"], touches: ofEntity } as const;
const lockHeld = { verbs: ["lock"], touches: ofHeld } as const;
/** A denial shows the holder to a caller that may lock the path. So that caller may read the lock as well. */
const seesLocks = ["read", "lock"] as const;

/** One right per public operation. A missing one does not compile. */
export const rights: Rights = {
  "create-entity": write,
  "replace-entity": write,
  "patch-entity": write,
  "delete-entity": write,
  "get-entity": readEntity,
  "list-history": readEntity,
  "list-entities": { verbs: ["read"], touches: ({ type }) => ({ paths: [type] }) },
  "register-agent": { verbs: ["register"], touches: own },
  heartbeat: { verbs: ["register"], touches: own },
  "end-agent": {
    verbs: ["register"],
    touches: ({ agent_id: agent }) => ({ agent }),
  },
  "list-agents": { verbs: ["read"], touches: whole },
  "acquire-lock": {
    verbs: ["lock"],
    touches: ({ paths }) => ({ paths: paths.map((path) => (typeof path === "string" ? path : path.path)) }),
  },
  "release-lock": lockHeld,
  "renew-lock": lockHeld,
  "upgrade-lock": lockHeld,
  "downgrade-lock": lockHeld,
  "transfer-lock": lockHeld,
  "request-release": { verbs: ["lock"], touches: ofPath },
  "accept-lock": { verbs: ["lock"], touches: ofTicket },
  "cancel-ticket": { verbs: ["lock"], touches: ofTicket },
  "list-locks": { verbs: seesLocks, touches: ofListedLocks },
  "get-lock": { verbs: seesLocks, touches: ofPath },
  "get-ticket": { verbs: seesLocks, touches: ofTicket },
  "who-am-i": {
    verbs: seesLocks,
    touches: ({ owner_id: owner }) => ({ owner }),
  },
  "list-waits": { verbs: seesLocks, touches: whole },
  "list-lock-history": { verbs: seesLocks, touches: ofPath },
  "check-fence": { verbs: seesLocks, touches: ofPath },
  "force-release": { verbs: ["operate"], touches: ofFence },
  "override-release": { verbs: ["operate"], touches: ofFence },
  "configure-locks": { verbs: ["operate"], touches: whole },
  configure: { verbs: ["operate"], touches: whole },
  "erase-payload": { verbs: ["operate"], touches: whole },
  "raise-rules": { verbs: ["operate"], touches: whole },
  "create-token": { verbs: ["operate"], touches: whole },
  "rotate-token": { verbs: ["operate"], touches: whole },
  "rotate-operator-token": { verbs: ["operate"], touches: whole },
  "revoke-token": { verbs: ["operate"], touches: whole },
  "list-tokens": { verbs: ["operate"], touches: whole },
  "list-journal": { verbs: ["operate"], touches: whole },
  "list-audit": {
    verbs: ["read"],
    touches: whole,
    instead: "list-history and list-lock-history show the history of an entity or path that you may read",
  },
};

/** `under` does not narrow the records of all grants or the records of one owner. */
function ofListedLocks(input: InputOf<All["list-locks"]>): Touch {
  const { under, owner_id: owner, view } = input;
  if (owner !== undefined) return { owner };
  return under === undefined || view === "dal_locks" ? { space: true } : { paths: [under] };
}

/** The resources of a pack are entities. An operation on them needs the same rights as the operation on the entity. */
export function rightToKind(type: string, kind: "read" | "write", operation: string): Right {
  const verb = packOfOperation(operation)?.forOperators.includes(operation) === true ? "operate" : kind;
  return {
    verbs: [verb],
    touches: (input: { readonly id?: unknown }) => ({
      // Without an id the operation concerns the whole type: a list, or a new resource without an id.
      paths: [typeof input.id === "string" ? `${type}/${input.id}` : type],
    }),
  };
}

function rightToPack(operation: string): Right | undefined {
  const pack = packOfOperation(operation);
  const found = pack?.operations[operation];
  if (pack === undefined || found === undefined || found.kind === "internal") return undefined;
  const resource = resourceOfOperation(pack, operation);
  return resource === undefined
    ? { verbs: [found.kind], touches: whole }
    : rightToKind(resource.type, found.kind, operation);
}

/** The right of an operation of the contract; undefined for an unknown operation. */
export function rightOf(operation: string): Right | undefined {
  return Object.hasOwn(rights, operation) ? rights[operation as OperationName] : rightToPack(operation);
}

/** True if one of the verbs is allowed on the path. The empty path means everything. */
export function isAllowed(allow: readonly Allowance[], verbs: readonly Verb[], path: string): boolean {
  return allow.some(
    ({ under, verbs: allowed }) => isAtOrBelow(path, under) && allowed.some((verb) => verbs.includes(verb)),
  );
}
