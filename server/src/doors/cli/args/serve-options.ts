import type { ResolvedConfig } from "../../../config/read-config.ts";
import { settings } from "../../../config/settings.ts";
import type { Config } from "../../../config/settings.ts";
import type { ServeOptions } from "../../../assembly/serve.ts";
import { UsageError } from "./usage-error.ts";

interface ServeOutput {
  readonly isJson: boolean;
  /** Writes a line of the log. */
  readonly write: (line: string) => void;
  readonly report: (message: string, cause: unknown) => void;
}

/** Converts the configuration into the options of `serve`. */
export function serveOptions(
  { config, sources }: ResolvedConfig,
  { isJson, write, report }: ServeOutput,
): ServeOptions {
  const { data, host, port, lock_manager, log_level: level } = config;
  // Only an explicit setting is passed on. Otherwise the value that an operator set with configure-locks stays.
  const toggles = sources.lock_manager === "default" ? {} : { component_toggles: { lock_manager } };
  const format = isJson ? "json" : config.log_format;
  const base = { data, host, port, ...journalOf(config), ...natsOf(config, sources) };
  return { ...base, ...accessOf(config), ...toggles, log: { level, format, write }, report };
}

function journalOf({ journal, space }: Config): Pick<ServeOptions, "journal"> {
  if (journal !== "") return { journal: { journal, space } };
  if (space === settings.space.default) return {};
  throw new UsageError(`a data folder contains only the space ${settings.space.default}; other spaces need --journal`);
}

/** An empty setting counts as not set. */
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
