/**
 * The token of an `Authorization` header, at every door. A malformed one is refused as a token: its caller never counts
 * as one without a token.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^Bearer +(\S+)$/iu.exec(authorization)?.[1] ?? "";
}
