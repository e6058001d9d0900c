/** The modes of locks, weakest first. A set of paths counts once, as its strongest mode. */
export const lockTypes = ["read", "upgradeable", "write"] as const;
export type LockType = (typeof lockTypes)[number];

/** The strongest mode that a request, a grant or a ticket names. The default is write, as in the contract. */
export function lockTypeOf(request: unknown): LockType {
  if (typeof request !== "object" || request === null) return "write";
  const { mode, paths } = request as { readonly mode?: unknown; readonly paths?: unknown };
  const ownMode = validMode(mode);
  if (!Array.isArray(paths)) return ownMode ?? "write";
  let strongest = -1;
  for (const path of paths as readonly unknown[]) {
    const requested =
      typeof path === "object" && path !== null ? validMode((path as { readonly mode?: unknown }).mode) : ownMode;
    strongest = Math.max(strongest, lockTypes.indexOf(requested ?? ownMode ?? "write"));
  }
  return lockTypes[strongest] ?? ownMode ?? "write";
}

function validMode(mode: unknown): LockType | undefined {
  return lockTypes.find((type) => type === mode);
}
