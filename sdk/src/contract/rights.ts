/**
 * Who may do what. A token is a list of allowances, each of them verbs under a prefix of paths; an operation needs a
 * verb on every path that it touches. Entities are at `type/id`, where the locks that guard them are too.
 */
import type { allOperations } from "./all-operations.ts";
import type { Allowance, Verb } from "./allowance.ts";
import type { OperationName } from "./all-operations.ts";
import type { InputOf } from "./operation.ts";
import { packOfOperation, resourceOfOperation } from "./packs/packs.ts";

/** What an operation touches, as far as its input tells. With none of these it touches nothing but the caller's own. */
export interface Touch {
  readonly paths?: readonly string[];
  /** The paths of the grant with this fence. */
  readonly fence?: string;
  /** The paths of this ticket, or of the grant that it became. */
  readonly ticket?: string;
  /** What this owner holds and waits for. */
  readonly owner?: string;
  /** This registration. */
  readonly agent?: string;
  /** All there is. */
  readonly space?: true;
}

/** One of these verbs on everything that is touched. */
export interface Right<Input = never> {
  readonly verbs: readonly Verb[];
  readonly touches: (input: Input) => Touch;
  /** What somebody may ask for instead who may not touch all of it. */
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

/** Both, if both are named: neither may be a way around the other. */
const ofHeld = (input: {
  readonly fence?: string;
  readonly path?: string;
  readonly paths?: readonly string[];
}): Touch => {
  const { fence, path, paths = path === undefined ? [] : [path] } = input;
  return { paths, ...(fence === undefined ? {} : { fence }) };
};

const write = { verbs: ["write"], touches: ofEntity } as const;
const readEntity = { verbs: ["read"], touches: ofEntity } as const;
const lockHeld = { verbs: ["lock"], touches: ofHeld } as const;
/** Whoever may lock a path sees in a denial who has it, so it may look as well. */
const seesLocks = ["read", "lock"] as const;

/** One for every operation that somebody outside may ask for: a missing one does not compile. */
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
    touches: ({ agent_id: agent }) => (agent === undefined ? {} : { agent }),
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
  "claim-lock": { verbs: ["lock"], touches: ofTicket },
  "cancel-ticket": { verbs: ["lock"], touches: ofTicket },
  "list-locks": { verbs: seesLocks, touches: ofListedLocks },
  "get-lock": { verbs: seesLocks, touches: ofPath },
  "get-ticket": { verbs: seesLocks, touches: ofTicket },
  "who-am-i": {
    verbs: seesLocks,
    touches: ({ owner_id: owner }) => (owner === undefined ? {} : { owner }),
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
  "revoke-token": { verbs: ["operate"], touches: whole },
  "list-tokens": { verbs: ["operate"], touches: whole },
  "list-journal": { verbs: ["operate"], touches: whole },
  "list-audit": {
    verbs: ["read"],
    touches: whole,
    instead: "list-history and list-lock-history tell who did what to an entity or a path that you may read",
  },
};

/** The records of all grants, and those of one owner, are not narrowed by `under`. */
function ofListedLocks(input: InputOf<All["list-locks"]>): Touch {
  const { under, owner_id: owner, view } = input;
  if (owner !== undefined) return { owner };
  return under === undefined || view === "dal_locks" ? { space: true } : { paths: [under] };
}

/** What a pack keeps are entities, and what is done to them needs the same as if it were done by hand. */
export function rightToKind(type: string, kind: "read" | "write", operation: string): Right {
  const verb = packOfOperation(operation)?.forOperators.includes(operation) === true ? "operate" : kind;
  return {
    verbs: [verb],
    touches: (input: { readonly id?: unknown }) => ({
      // Without an id it is about all of its kind: a list, or something new whose id nobody knows yet.
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

/** The right that an operation of the contract needs; undefined if there is no such operation. */
export function rightOf(operation: string): Right | undefined {
  return Object.hasOwn(rights, operation) ? rights[operation as OperationName] : rightToPack(operation);
}

/** True if one of the verbs is allowed on the path; the path of everything is empty. */
export function isAllowed(allow: readonly Allowance[], verbs: readonly Verb[], path: string): boolean {
  return allow.some((one) => isAtOrUnder(path, one.under) && one.verbs.some((allowed) => verbs.includes(allowed)));
}

/** Name by name: a text that merely starts with the prefix is not under it. */
export function isAtOrUnder(path: string, prefix: string): boolean {
  return prefix === "" || path === prefix || path.startsWith(`${prefix}/`);
}
