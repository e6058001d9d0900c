import { tokenRisk } from "@holdfast/sdk/find-server";
import type { FoundServer } from "@holdfast/sdk/found-server";
import type { Terminal } from "../command.ts";
import { secretVariables } from "./token-of.ts";

/**
 * The environment for the command. HOLDFAST_URL names the server to the command. So tokens that may not go to this server
 * are removed, or the command would send them.
 */
export function inheritedEnvironment(server: FoundServer, { env }: Terminal): Terminal["env"] {
  if (tokenRisk(server) === undefined) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secretVariables.some((secret) => secret === name)));
}
