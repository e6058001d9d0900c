export type LockMode = "read" | "upgradeable" | "write";
export type LockScope = "tree" | "self";

/** A path, alone or with its own mode and scope. */
export type LockPath = string | { readonly path: string; readonly mode?: LockMode; readonly scope?: LockScope };
export type LockPaths = LockPath | readonly LockPath[];
