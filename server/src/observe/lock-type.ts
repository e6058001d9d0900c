/** The modes of locks, weakest first. A set of paths counts once, as its strongest mode. */
export const lockTypes = ["read", "upgradeable", "write"] as const;
export type LockType = (typeof lockTypes)[number];

/** The strongest mode that a request, a grant or a ticket names. The default is write, as in the contract. */
export function lockTypeOf(named: unknown): LockType {
  if (typeof named !== "object" || named === null) return "write";
  const { mode, paths } = named as { readonly mode?: unknown; readonly paths?: unknown };
  const own = known(mode);
  if (!Array.isArray(paths)) return own ?? "write";
  let strongest = -1;
  for (const path of paths as readonly unknown[]) {
    const requested =
      typeof path === "object" && path !== null ? known((path as { readonly mode?: unknown }).mode) : own;
    strongest = Math.max(strongest, lockTypes.indexOf(requested ?? own ?? "write"));
  }
  return lockTypes[strongest] ?? own ?? "write";
}

function known(mode: unknown): LockType | undefined {
  return lockTypes.find((type) => type === mode);
}
