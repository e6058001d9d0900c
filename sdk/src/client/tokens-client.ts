import type { Allowance } from "../contract/allowance.ts";
import type { CreatedToken, Token } from "../contract/tokens.ts";
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
    revoke: async (tokenId, { reason, ...options } = {}) =>
      (await run("revoke-token", { token_id: tokenId, reason }, options)) as Awaited<
        ReturnType<TokensClient["revoke"]>
      >,
  };
}
