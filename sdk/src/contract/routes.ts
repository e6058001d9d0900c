/** HTTP routes, as the definition of an operation declares them. */

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A name in braces is a member of the input. */
  readonly path: string;
  /** The status of a success. A queued lock always gets 202, and a resumed agent 200. */
  readonly status: 200 | 201;
  /** The required precondition header. It carries the version that the caller expects. */
  readonly needs?: "if-match" | "if-none-match";
  /** The precondition header that a caller may leave out. It carries the same. */
  readonly takes?: "if-match";
  /** The part of the path that names the calling agent. It is not a member of the input. */
  readonly speaker?: string;
  /** Members that a caller cannot send here. */
  readonly without?: readonly string[];
  /** The member of the input that the body of a merge patch becomes; `merge` by default. */
  readonly patches?: string;
  /** The request can be held open with `Prefer: wait=n`: until a lock is granted, or until a job starts. */
  readonly waits?: "grant" | "jobs";
}

type RouteOptions = Partial<Omit<Route, "method" | "path">>;
type MakeRoute = (path: string, options?: RouteOptions) => Route;

const routeMaker =
  (method: Route["method"]): MakeRoute =>
  (path, options = {}) => ({ method, path, status: 200, ...options });

export const get = routeMaker("GET");
export const post = routeMaker("POST");
export const put = routeMaker("PUT");
export const patch = routeMaker("PATCH");
export const remove = routeMaker("DELETE");

export const ifMatch = { needs: "if-match" } as const;
export const optionalIfMatch = { takes: "if-match" } as const;

/** True if a request to this route may have the header If-Match. */
export function readsIfMatch({ needs, takes }: Pick<Route, "needs" | "takes">): boolean {
  return needs === "if-match" || takes === "if-match";
}
