import { resolve } from "node:path";
import { defined } from "@holdfast/sdk/base/defined";
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
  const { data, host, port, lock_manager, check_threads: checkThreads, log_level: level } = config;
  // Only an explicit setting is passed on. Otherwise the value that an operator set with configure-locks stays.
  const component_toggles = sources.lock_manager === "default" ? undefined : { lock_manager };
  const format = isJson ? "json" : config.log_format;
  const base = {
    data,
    host,
    port,
    checkThreads,
    ...journalOf(config),
    ...natsOf(config, sources),
    ...auditLogOf(config),
    ...storageRootsOf(config),
    ...workersOf(config),
    allowNetworkRoot: config.allow_network_root,
    ...defined({ publicUrl: setText(config.public_url) }),
  };
  return { ...base, ...accessOf(config), ...defined({ component_toggles }), log: { level, format, write }, report };
}

function journalOf({ journal, space }: Config): Pick<ServeOptions, "journal"> {
  if (journal !== "") return { journal: { journal, space } };
  if (space === settings.space.default) return {};
  throw new UsageError(`a data folder contains only the space ${settings.space.default}; other spaces need --journal`);
}

function auditLogOf(config: Config): Pick<ServeOptions, "auditLog"> {
  if (config.audit_log === "store") return {};
  return { auditLog: { bytesMax: config.audit_file_bytes_max, filesKept: config.audit_files_kept } };
}

export function storageRootsOf({ storage_roots: roots }: Config): Pick<ServeOptions, "storageRoots"> {
  if (roots.length === 0) return {};
  return { storageRoots: Object.fromEntries(roots.map(storageRootOf)) };
}

function storageRootOf(text: string): readonly [string, string] {
  const [, name, folder] = /^([a-z0-9][a-z0-9._-]{0,63})=(.+)$/u.exec(text) ?? [];
  if (name !== undefined && folder !== undefined) return [name, resolve(folder)];
  throw new UsageError(`storage_roots has ${JSON.stringify(text)}: write name=folder, such as main=/srv/files`);
}

/** The worker processes run the program of this process. */
function workersOf({ workers: count }: Config): Pick<ServeOptions, "workers"> {
  const [, script = ""] = process.argv;
  return { workers: { count, command: [process.execPath, ...process.execArgv, script] } };
}

/** An empty setting counts as not set. */
function setText(value: string): string | undefined {
  return value === "" ? undefined : value;
}

function natsOf(config: Config, sources: ResolvedConfig["sources"]): Pick<ServeOptions, "nats"> {
  if (config.nats.length === 0) return {};
  return {
    nats: {
      servers: config.nats,
      replyPrefixes: config.nats_reply_prefixes,
      principal: setText(config.nats_principal),
      credsFile: setText(config.nats_creds),
      user: setText(config.nats_user),
      password: setText(config.nats_password),
      token: setText(config.nats_token),
      caFile: setText(config.nats_ca),
      certFile: setText(config.nats_cert),
      keyFile: setText(config.nats_key),
      publishAfter: sources.nats_publish_after === "default" ? undefined : config.nats_publish_after,
    },
  };
}

function accessOf(config: Config): Partial<ServeOptions> {
  return {
    requireToken: config.require_token,
    allowedHosts: config.allowed_hosts,
    agentSecrets: config.agent_secrets,
    ...defined({ operatorToken: setText(config.operator_token) }),
    limits: {
      callsPerSecond: config.calls_per_second,
      principalCallsPerSecond: config.principal_calls_per_second,
      watchesMax: config.watches_max,
      agentsMax: config.agents_max,
      connectionWatchesMax: config.connection_watches_max,
      connectionAgentsMax: config.connection_agents_max,
      connectionsPerAddressMax: config.connections_per_address_max,
      connectionsMax: config.connections_max,
    },
  };
}
