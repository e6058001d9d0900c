import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Whether an address is reachable only from this host: `localhost`, 127.0.0.0/8, `::1`, and 127.0.0.0/8 written as
 * IPv6. It decides which callers need a token, so an address that cannot be read is not loopback.
 */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  if (address === "localhost") return true;
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 6 ? "ipv6" : "ipv4");
}
