import type { CreatedToken, OperationInput, OperationOutput, RotatedToken, Token } from "./operation-output.ts";
import type { Page, Run } from "./entities-client.ts";
import type { CallOptions } from "./transport/transport.ts";

/** The principal of the bearer, its allowances, and the time until it expires; 30 days by default. */
export type NewToken = Omit<OperationInput<"create-token">, "ownKey" | "secretHash">;

/** Tokens, for operators. */
export interface TokensClient {
  /** Returns the secret once. With a key, a repeated request gives the same token a new secret. */
  create(token: NewToken, options?: CallOptions): Promise<CreatedToken>;
  list(page?: OperationInput<"list-tokens">): Promise<Page<Token, string>>;
  /**
   * Gives the token a new secret, which is returned once. The old one is invalid at once, or after `graceMs`. With a
   * key, a repeated request replaces the new secret, and the old one keeps its grace period.
   */
  rotate(tokenId: string, options?: CallOptions & { readonly graceMs?: number }): Promise<RotatedToken>;
  /** Replaces the operator's token in the data folder of the server. The old one is invalid at once. */
  rotateOperator(options?: CallOptions): Promise<OperationOutput<"rotate-operator-token">>;
  /** The token is invalid at once, also on open connections. */
  revoke(
    tokenId: string,
    options?: CallOptions & { readonly reason?: string },
  ): Promise<OperationOutput<"revoke-token">>;
}

export function tokensClient({ run }: { readonly run: Run }): TokensClient {
  return {
    create: (token, options = {}) => run("create-token", token, options) as Promise<CreatedToken>,
    list: (page = {}) => run("list-tokens", page, {}) as Promise<Page<Token, string>>,
    rotate: (tokenId, { graceMs, ...options } = {}) =>
      run("rotate-token", { tokenId, graceMs }, options) as Promise<RotatedToken>,
    rotateOperator: (options = {}) =>
      run("rotate-operator-token", {}, options) as Promise<OperationOutput<"rotate-operator-token">>,
    revoke: (tokenId, { reason, ...options } = {}) =>
      run("revoke-token", { tokenId, reason }, options) as Promise<OperationOutput<"revoke-token">>,
  };
}
