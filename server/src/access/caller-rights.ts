import { stateLoading } from "../base/state-loading.ts";
import type { Verb } from "@holdfast/sdk/contract";
import { allVerbs, isAllowed } from "@holdfast/sdk/contract";
import { digestOf } from "../base/new-secret.ts";
import type { CallRights } from "../operations/call.ts";
import type { Credentials, Rejection } from "./gate.ts";
import type { Lookups } from "./lookups.ts";
import type { OperatorToken } from "./operator-token.ts";

/** The current identity and rights of a caller. */
export type CallerRights = CallRights;

interface CallerRightsOptions {
  readonly lookups: Lookups;
  readonly operatorToken: OperatorToken;
  /** Whether callers on this host need a token too. */
  readonly requiresToken: boolean;
}

export const operatorRights: CallerRights = { principal: "operator", allow: [{ verbs: [...allVerbs], under: "" }] };

/** The rights of a caller on this host without a token: everything except operator operations. */
export const anonymousRights: CallerRights = {
  principal: "anonymous",
  allow: [{ verbs: allVerbs.filter((verb) => verb !== "operate"), under: "" }],
};

/** The current rights of a caller. Called once on admission, and again with every call. */
export function callerRightsOf(options: CallerRightsOptions, credentials: Credentials): () => CallerRights | Rejection {
  const { lookups, operatorToken, requiresToken } = options;
  const { token, isLoopback, vouched } = credentials;
  if (token === undefined && vouched !== undefined) {
    const rights = { ...anonymousRights, principal: vouched };
    return () => rights;
  }
  if (token === undefined) {
    const refused: Rejection = { code: "token_required", data: {} };
    const rights = isLoopback && !requiresToken ? anonymousRights : refused;
    return () => rights;
  }
  const digest = digestOf(token);
  if (operatorToken.hasDigest(digest)) {
    const rejection: Rejection = { code: "token_invalid", data: {} };
    return () => (operatorToken.hasDigest(digest) ? operatorRights : rejection);
  }
  return () => tokenRights(lookups, digest);
}

function tokenRights(lookups: Lookups, digest: string): CallerRights | Rejection {
  if (!lookups.isReady()) {
    return { code: "journal_unavailable", data: stateLoading };
  }
  const known = lookups.token(digest);
  // The same code for both: the caller must not learn whether the token was ever valid.
  if (known === undefined || known.expiresAt <= lookups.now()) return { code: "token_invalid", data: {} };
  return known;
}

/** True if one of the verbs is allowed on everything, so that no path has to be checked. */
export function isAllowedEverywhere({ allow }: CallerRights, verbs: readonly Verb[]): boolean {
  return isAllowed(allow, verbs, "");
}
