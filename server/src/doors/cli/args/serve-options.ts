import type { ResolvedConfig } from "../../../config/read-config.ts";
import { settings } from "../../../config/settings.ts";
import type { Config } from "../../../config/settings.ts";
import type { ServeOptions } from "../../../assembly/serve.ts";
import { UsageError } from "./usage-error.ts";

export interface ServeOutput {
  readonly isJson: boolean;
  /** Where lines of the log go. */
  readonly write: (line: string) => void;
  readonly report: (message: string, cause: unknown) => void;
}

/** What a server is started with, in the server's own words. */
export function serveOptions(
  { config, sources }: ResolvedConfig,
  { isJson, write, report }: ServeOutput,
): ServeOptions {
  const { data, host, port, lock_manager, log_level: level } = config;
  // Only if somebody asked: otherwise what an operator has set by configure-locks stays.
  const components = sources.lock_manager === "default" ? {} : { components: { lock_manager } };
  const format = isJson ? "json" : config.log_format;
  const place = { data, host, port, ...journalOf(config), ...natsOf(config, sources) };
  return { ...place, ...accessOf(config), ...components, log: { level, format, write }, report };
}

function journalOf({ journal, space }: Config): Pick<ServeOptions, "journal"> {
  if (journal !== "") return { journal: { journal, space } };
  if (space === settings.space.default) return {};
  throw new UsageError(`a data folder holds one space, ${settings.space.default}; others need --journal`);
}

/** A setting that is empty is not set. */
function natsOf(config: Config, sources: ResolvedConfig["sources"]): Pick<ServeOptions, "nats"> {
  if (config.nats.length === 0) return {};
  const given = (name: string, value: string): Readonly<Record<string, string>> =>
    value === "" ? {} : { [name]: value };
  return {
    nats: {
      servers: config.nats,
      ...given("principal", config.nats_principal),
      ...given("credsFile", config.nats_creds),
      ...given("user", config.nats_user),
      ...given("password", config.nats_password),
      ...given("token", config.nats_token),
      ...given("caFile", config.nats_ca),
      ...given("certFile", config.nats_cert),
      ...given("keyFile", config.nats_key),
      ...(sources.nats_publish_after === "default" ? {} : { publishAfter: config.nats_publish_after }),
    },
  };
}

function accessOf(config: Config): Partial<ServeOptions> {
  const { operator_token: token } = config;
  return {
    requireToken: config.require_token,
    allowedHosts: config.allowed_hosts,
    agentSecrets: config.agent_secrets,
    ...(token === "" ? {} : { operatorToken: token }),
    limits: {
      callsPerSecond: config.calls_per_second,
      principalCallsPerSecond: config.principal_calls_per_second,
      watchesMax: config.watches_max,
      agentsMax: config.agents_max,
      connectionsPerAddressMax: config.connections_per_address_max,
    },
  };
}
