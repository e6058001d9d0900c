/**
 * Rights. A token is a list of allowances, which are verbs under a path prefix. An operation needs a verb on every path
 * that it touches. An entity has the path of the lock that guards it: `type/id`, unless its resource declares another.
 */
import { isAtOrBelow } from "../base/is-at-or-below.ts";
import type { Allowance, Verb } from "./allowance.ts";
import { resourcePath, resourceTypePath } from "./packs/resource-path.ts";
import type { Resource } from "./packs/resource.ts";

/**
 * A thing that has an id and whose path is in the state. The path of a job and of a schedule is `job/<type>`, that of a
 * publish is its target.
 */
export interface TouchedRef {
  readonly kind: "job" | "publish" | "schedule";
  readonly id: string;
}

/** The things that an operation touches, derived from its input. Empty: only what the caller owns. */
export interface Touch {
  readonly paths?: readonly string[];
  /** The paths of the grant with this fence. */
  readonly fence?: string | undefined;
  /** The paths of this ticket, or of the grant that it became. */
  readonly ticket?: string;
  /** The locks and tickets of this owner. */
  readonly owner?: string | undefined;
  /** Things whose paths the server looks up. One that does not exist has none, and the machine refuses it. */
  readonly refs?: readonly TouchedRef[];
  /** This registration. */
  readonly agent?: string | undefined;
  /** The whole space. */
  readonly space?: true;
}

/** One of these verbs is required on everything that is touched. */
export interface Right<Input = never> {
  readonly verbs: readonly Verb[];
  readonly touches: (input: Input) => Touch;
  /** The right is not needed for other inputs. */
  readonly isNeeded?: (input: Input) => boolean;
  /** An alternative for callers that may not touch all of it. */
  readonly instead?: string;
  /** The registration of an agent is checked even for a caller that has the verb everywhere. */
  readonly restrictsAgents?: true;
}

/** A denial shows the holder to a caller that may lock the path. So that caller may read the lock as well. */
export const seesLocks = ["read", "lock"] as const;

/** One resource. Without an id it is every resource of the type, since the server makes the id of a new one. */
export const ofResource =
  (resource: Pick<Resource, "type" | "path">) =>
  ({ id }: { readonly id?: string }): Touch => ({
    paths: [id === undefined ? resourceTypePath(resource) : resourcePath(resource, id)],
  });

/** Every resource of a type. */
export const ofEachResource = (resource: Pick<Resource, "type" | "path">) => (): Touch => ({
  paths: [resourceTypePath(resource)],
});

export const ofWholeSpace = (): Touch => ({ space: true });
export const ofCaller = (): Touch => ({});
export const ofPath = ({ path }: { readonly path: string }): Touch => ({ paths: [path] });
export const ofFence = ({ fence }: { readonly fence: string }): Touch => ({ fence });
export const ofTicket = ({ ticket }: { readonly ticket: string }): Touch => ({ ticket });

/** Both are checked if both are present. Otherwise one would bypass the check of the other. */
export const ofHeldLock = (input: {
  readonly fence?: string;
  readonly path?: string;
  readonly paths?: readonly string[];
}): Touch => {
  const { fence, path, paths = path === undefined ? [] : [path] } = input;
  return { paths, fence };
};

/** True if one of the verbs is allowed on the path. The empty path means everything. */
export function isAllowed(allow: readonly Allowance[], verbs: readonly Verb[], path: string): boolean {
  return allow.some(
    ({ under, verbs: allowed }) => isAtOrBelow(path, under) && allowed.some((verb) => verbs.includes(verb)),
  );
}
