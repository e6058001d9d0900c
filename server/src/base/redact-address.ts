/**
 * An address without its secrets, for people, logs and answers: neither the password nor what stands after the question
 * mark, where a driver may take a password from, too.
 */
export function redactAddress(address: string): string {
  if (!URL.canParse(address)) return "(an address that is none)";
  const { protocol, username, host, pathname } = new URL(address);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

/** Whether an address brings a password along. */
export function hasPassword(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { password, searchParams } = new URL(address);
  return password !== "" || searchParams.has("password");
}
