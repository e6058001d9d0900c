/** The conditions under which a server may listen at an address, and whether its callers need a token. */
import { isLoopback } from "./is-loopback.ts";

interface ListeningPlan {
  readonly host: string;
  /** Further host names of the server. */
  readonly names: readonly string[];
  /** The operator requires tokens from every caller. */
  readonly requireToken: boolean;
  /** A token exists that another person may have: a created one, or an operator token that was configured. */
  readonly hasTokens: boolean;
}

/**
 * Whether every caller needs a token. Behind a proxy all callers seem to come from this host. So if the server is
 * reachable under another address or name, a loopback connection proves nothing.
 */
export function needsTokens({ host, names, requireToken }: ListeningPlan): boolean {
  return requireToken || names.length > 0 || !isLoopback(host);
}

/** The reason not to start, and what to do; undefined if it may start. */
export function listeningRulesFault(plan: ListeningPlan): string | undefined {
  if (plan.hasTokens || !needsTokens(plan) || isLoopback(plan.host)) return undefined;
  return (
    `callers at ${plan.host} could not be authenticated, because there is no token: start on 127.0.0.1, create a ` +
    "token (\`holdfast token create\`) and start again; or set HOLDFAST_OPERATOR_TOKEN to your own secret"
  );
}

/** The host names of the server, in addition to those of loopback. */
export function hostNamesOf({ host, names }: Pick<ListeningPlan, "host" | "names">): readonly string[] {
  if (isLoopback(host) || host === "0.0.0.0" || host === "::") return names;
  return [...names, host.includes(":") ? `[${host}]` : host];
}

/** A warning for the operator about an address that other hosts can reach. */
export function listeningWarning({ host }: ListeningPlan): string | undefined {
  if (isLoopback(host)) return undefined;
  return (
    `listening on ${host} in plain HTTP: every host on the network path can read tokens and data; ` +
    "put a proxy that speaks TLS in front of it"
  );
}
