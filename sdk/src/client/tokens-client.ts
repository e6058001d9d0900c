import type { Allowance } from "../contract/allowance.ts";
import type { CreatedToken, RotatedToken, Token } from "../contract/tokens.ts";
import type { Page, Run } from "./entities-client.ts";
import type { CallOptions } from "./transport.ts";

export interface NewToken {
  /** The principal of the bearer. */
  readonly principal: string;
  readonly allow: readonly Allowance[];
  /** 30 days by default. */
  readonly expiresInSeconds?: number;
  readonly note?: string;
}

/** Tokens, for operators. */
export interface TokensClient {
  /** Returns the secret once. With a key, a repeated request gives the same token a new secret. */
  create(token: NewToken, options?: CallOptions): Promise<CreatedToken>;
  list(page?: { readonly after?: string; readonly limit?: number }): Promise<Page<Token, string>>;
  /**
   * Gives the token a new secret, which is returned once. The old one is invalid at once, or after `graceSeconds`. With a
   * key, a repeated request replaces the new secret, and the old one keeps its grace period.
   */
  rotate(tokenId: string, options?: CallOptions & { readonly graceSeconds?: number }): Promise<RotatedToken>;
  /** Replaces the operator's token in the data folder of the server. The old one is invalid at once. */
  rotateOperator(options?: CallOptions): Promise<{ readonly rotated_at: string; readonly file: string }>;
  /** The token is invalid at once, also on open connections. */
  revoke(
    tokenId: string,
    options?: CallOptions & { readonly reason?: string },
  ): Promise<{ readonly token_id: string; readonly principal: string; readonly revoked_at: string }>;
}

export function tokensClient(run: Run): TokensClient {
  return {
    create: async ({ expiresInSeconds, ...token }, options = {}) =>
      (await run("create-token", { ...token, expires_in_seconds: expiresInSeconds }, options)) as CreatedToken,
    list: async (page = {}) => (await run("list-tokens", page, {})) as Page<Token, string>,
    rotate: async (tokenId, { graceSeconds, ...options } = {}) =>
      (await run("rotate-token", { token_id: tokenId, grace_seconds: graceSeconds }, options)) as RotatedToken,
    rotateOperator: async (options = {}) =>
      (await run("rotate-operator-token", {}, options)) as Awaited<ReturnType<TokensClient["rotateOperator"]>>,
    revoke: async (tokenId, { reason, ...options } = {}) =>
      (await run("revoke-token", { token_id: tokenId, reason }, options)) as Awaited<
        ReturnType<TokensClient["revoke"]>
      >,
  };
}
