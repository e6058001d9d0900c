/**
 * The token in an `Authorization`, through whatever door it comes. One that is not well formed is no token, and is refused
 * as one: it is never taken for a caller without.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^Bearer +(\S+)$/iu.exec(authorization)?.[1] ?? "";
}
