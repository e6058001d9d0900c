export type LockMode = "read" | "upgradeable" | "write";
export type LockScope = "tree" | "self";

/** What can be locked: a path alone, or with a mode and a scope of its own. */
export type LockPath = string | { readonly path: string; readonly mode?: LockMode; readonly scope?: LockScope };
export type LockPaths = LockPath | readonly LockPath[];
