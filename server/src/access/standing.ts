import { stateLoading } from "../base/state-loading.ts";
import type { Allowance, Verb } from "@holdfast/sdk/contract";
import { isAllowed } from "@holdfast/sdk/contract";
import { digestOf, isSameDigest } from "../base/new-secret.ts";
import type { Credentials, Turned } from "./gate.ts";
import type { Lookups } from "./lookups.ts";

/** Who a caller is, and what it may do, at this moment. */
export interface Standing {
  readonly principal: string;
  readonly allow: readonly Allowance[];
  /** In the time of the engine; absent if it rests on no token that could be revoked or expire. */
  readonly expiresAt?: number;
}

export interface StandingOptions {
  readonly lookups: Lookups;
  /** The digest of the operator's token. */
  readonly operatorDigest: string;
  /** Whether callers on this host need a token too. */
  readonly requiresToken: boolean;
}

const everything: readonly Verb[] = ["read", "write", "lock", "register", "operate"];

export const operatorStanding: Standing = { principal: "operator", allow: [{ verbs: [...everything], under: "" }] };

/** Whoever is on this host may do what agents do; what belongs to operators always needs a token. */
export const anonymousStanding: Standing = {
  principal: "anonymous",
  allow: [{ verbs: everything.filter((verb) => verb !== "operate"), under: "" }],
};

/** How somebody stands now. Asked once when it comes in, and again with every call. */
export function standingOf(options: StandingOptions, credentials: Credentials): () => Standing | Turned {
  const { lookups, operatorDigest, requiresToken } = options;
  const { token, isLoopback, vouched } = credentials;
  if (token === undefined && vouched !== undefined) {
    const standing = { ...anonymousStanding, principal: vouched };
    return () => standing;
  }
  if (token === undefined) {
    const refused: Turned = { code: "token_required", data: {} };
    const standing = isLoopback && !requiresToken ? anonymousStanding : refused;
    return () => standing;
  }
  const digest = digestOf(token);
  if (isSameDigest(digest, operatorDigest)) return () => operatorStanding;
  return () => tokenStanding(lookups, digest);
}

function tokenStanding(lookups: Lookups, digest: string): Standing | Turned {
  if (!lookups.isReady()) {
    return { code: "journal_unavailable", data: stateLoading };
  }
  const known = lookups.token(digest);
  // All of these are one to whoever asks: a token that was right once says no more than one that never was.
  if (known === undefined || known.expiresAt <= lookups.now()) return { code: "token_invalid", data: {} };
  return known;
}

/** True if nothing has to be looked at: the verb is allowed on everything. */
export function isAllowedEverywhere({ allow }: Standing, verbs: readonly Verb[]): boolean {
  return isAllowed(allow, verbs, "");
}
