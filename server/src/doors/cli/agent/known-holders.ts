import type { ServerCaller } from "../discovery/server-caller.ts";
import type { HolderSummary } from "../terminal/lock-table.ts";
import type { WireLockStatus } from "../terminal/lock-table.ts";

/** The holders of a denial, with the host, the process and the last heartbeat of each. */
export async function knownHolders(
  { call }: Pick<ServerCaller, "call">,
  paths: readonly string[],
  { holders, waits_for: waitsFor }: Readonly<Record<string, unknown>>,
): Promise<readonly HolderSummary[]> {
  const named = (holders ?? waitsFor ?? []) as readonly (HolderSummary & { readonly fence: string })[];
  const known = new Map<string, HolderSummary>();
  for (const path of paths) {
    // The denial alone is complete enough. A caller that may lock a path may not always read it.
    const status = (await call("get-lock", { path }).catch(() => undefined)) as WireLockStatus | undefined;
    for (const holder of [...(status?.holders ?? []), ...(status?.above ?? []), ...(status?.below ?? [])])
      known.set(`${holder.fence} ${holder.path}`, holder);
  }
  return named.map((holder) => known.get(`${holder.fence} ${holder.path}`) ?? holder);
}
