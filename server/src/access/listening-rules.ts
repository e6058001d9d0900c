/** The conditions under which a server may listen at an address, and whether its callers need a token. */
import { isLoopback } from "./is-loopback.ts";

export interface ListeningPlan {
  readonly host: string;
  /** Further names under which it may be spoken to. */
  readonly names: readonly string[];
  /** The operator wants tokens from everybody. */
  readonly requireToken: boolean;
  /** A token exists that somebody else may have: one that was created, or the operator's own, brought along. */
  readonly hasTokens: boolean;
}

/**
 * Whether everybody needs a token. Behind a proxy all callers seem to come from this host; so as soon as the server can
 * be reached under another address or name, coming from this host proves nothing.
 */
export function needsTokens({ host, names, requireToken }: ListeningPlan): boolean {
  return requireToken || names.length > 0 || !isLoopback(host);
}

/** Why it must not start, and what to do about it; undefined if it may. */
export function listeningFault(plan: ListeningPlan): string | undefined {
  if (plan.hasTokens || !needsTokens(plan) || isLoopback(plan.host)) return undefined;
  return (
    `nobody could be told from anybody at ${plan.host}, because there is no token yet: start on 127.0.0.1, create a ` +
    "token (`create-token`) and start again; or set HOLDFAST_OPERATOR_TOKEN to a secret of your own"
  );
}

/** The names under which it may be spoken to, besides those of this host itself. */
export function hostNamesOf({ host, names }: Pick<ListeningPlan, "host" | "names">): readonly string[] {
  if (isLoopback(host) || host === "0.0.0.0" || host === "::") return names;
  return [...names, host.includes(":") ? `[${host}]` : host];
}

/** What an operator should know about an address that others can reach. */
export function listeningWarning({ host }: ListeningPlan): string | undefined {
  if (isLoopback(host)) return undefined;
  return (
    `listening on ${host} in plain HTTP: whoever is on the way can read tokens and data; ` +
    "put a proxy that speaks TLS in front of it"
  );
}
