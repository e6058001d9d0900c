/** The gate of a server, from the operator's settings and the tokens of the journal. */
import { defined } from "@holdfast/sdk/base/defined";
import { openGate } from "../access/open-gate.ts";
import type { Gate } from "../access/gate.ts";
import { listeningRulesFault, listeningWarning, needsTokens } from "../access/listening-rules.ts";
import type { AccessLimits } from "../access/limits.ts";
import { readOperatorToken } from "../access/operator-token.ts";
import { systemClock } from "../base/clock.ts";
import { systemIds } from "../base/ids.ts";
import { StartError } from "../base/start-error.ts";
import { behindGate } from "./behind-gate.ts";
import type { AppServices } from "../app/app-services.ts";
import type { Engine } from "../engine/engine.ts";
import { tokenTable } from "../features/tokens/token-table.ts";
import { reportToStandardError } from "./holdfast-options.ts";
import type { HoldfastOptions } from "./holdfast-options.ts";

/** Settings of access. */
export interface AccessOptions {
  /** Callers on this host need a token too. */
  readonly requireToken?: boolean;
  /** Further host names of the server, such as that of a proxy in front of it. */
  readonly allowedHosts?: readonly string[];
  /** The operator's token. By default it is the one in the data folder, which the first start makes. */
  readonly operatorToken?: string;
  /** `required`: an agent's id is invalid without its secret. */
  readonly agentSecrets?: "optional" | "required";
  /** Limits of one caller. Defaults apply to absent ones. */
  readonly limits?: Partial<AccessLimits>;
}

interface ServeGateOptions extends HoldfastOptions, AccessOptions {
  readonly data: string;
  readonly host: string;
}

/** Opens the gate of a server. It refuses an address at which callers could not be authenticated. */
export async function serveGate(services: AppServices, options: ServeGateOptions): Promise<Gate> {
  const { data, host, operatorToken, report = reportToStandardError } = options;
  const plan = {
    host,
    names: options.allowedHosts ?? [],
    requireToken: options.requireToken ?? false,
    hasTokens: operatorToken !== undefined || (await hasTokens(services.engine)),
  };
  const fault = listeningRulesFault(plan);
  if (fault !== undefined) throw new StartError(fault);
  const warning = listeningWarning(plan);
  if (warning !== undefined) report(warning, undefined);
  const token = await readOperatorToken({ folder: data, configured: operatorToken, ids: systemIds });
  const requiresAgentSecret = options.agentSecrets === "required";
  const behind = behindGate(services, defined({ requiresAgentSecret, operatorRotation: token.rotation }));
  return openGate({
    ...behind,
    operatorToken: token,
    requiresToken: needsTokens(plan),
    clock: systemClock,
    limits: options.limits ?? {},
  });
}

function hasTokens(engine: Engine): Promise<boolean> {
  return engine.read((state) => state.rows(tokenTable).size > 0);
}
