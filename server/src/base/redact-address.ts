/**
 * An address without its secrets, for people, logs and replies. It contains neither the password nor the query string,
 * from which a driver may read a password too.
 */
export function redactAddress(address: string): string {
  if (!URL.canParse(address)) return "(invalid address)";
  const { protocol, username, host, pathname } = new URL(address);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

/** Whether an address contains a password. */
export function hasPassword(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { password, searchParams } = new URL(address);
  return password !== "" || searchParams.has("password");
}
