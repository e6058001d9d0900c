/**
 * The token of an `Authorization` header, at every door. A malformed header yields an invalid token. Its caller is
 * refused, and never treated as a caller without a token.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  return /^Bearer +(\S+)$/iu.exec(authorization)?.[1] ?? "";
}
