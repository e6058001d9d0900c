import { isIPv4 } from "node:net";

/** Whether a server that listens on this address can be reached from other hosts. A name that is not known counts so. */
export function isOpenToOthers(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/u, "$1").toLowerCase();
  if (bare === "localhost" || bare === "::1") return false;
  const mapped = bare.replace(/^::ffff:/u, "");
  return !(isIPv4(mapped) && mapped.startsWith("127."));
}
