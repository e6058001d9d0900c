/**
 * All settings of a server, as data. This table is the only source for options, environment variables and keys of the
 * file. `holdfast help up`, the page docs/reference/configuration.md and all checks read it.
 */
export interface Setting {
  readonly kind: SettingKind;
  readonly default: SettingValue;
  readonly summary: string;
  /** The valid values of a `choice`. */
  readonly choices?: readonly string[];
  /** The bounds of a `number`. */
  readonly min?: number;
  readonly max?: number;
  /** A secret is never printed. It has no option, because all users of the host can read the options of a process. */
  readonly isSecret?: true;
  /**
   * It names a peer that gets secrets, or opens the server to other hosts. A configuration file that the user did not name
   * may come from a repository, so it cannot set it.
   */
  readonly needsNamedFile?: true;
}

/**
 * `switch` is on or off. `list` is text separated by commas, or an array in the file. `postgres` is the URL of a database,
 * which may contain a password and is printed without it.
 */
export type SettingKind = "text" | "number" | "switch" | "list" | "choice" | "postgres";

export type SettingValue = string | number | boolean | readonly string[];

const portMax = 65_535;

export const settings = {
  data: {
    kind: "text",
    default: ".holdfast",
    summary: "the data folder; created if it does not exist",
  },
  journal: {
    kind: "postgres",
    needsNamedFile: true,
    default: "",
    summary:
      "the Postgres database of the journal, shared by several nodes; without it the journal is in the data folder",
  },
  space: {
    kind: "text",
    default: "main",
    summary: "the space in that database that this node serves",
  },
  host: {
    kind: "text",
    needsNamedFile: true,
    default: "127.0.0.1",
    summary: "the address to listen on; if other hosts can reach it, all callers need a token",
  },
  port: {
    kind: "number",
    default: 4653,
    min: 0,
    max: portMax,
    summary: "the port to listen on; 0 selects a free port",
  },
  require_token: {
    kind: "switch",
    default: false,
    summary: "reject all callers without a token, including callers on this host",
  },
  allowed_hosts: {
    kind: "list",
    needsNamedFile: true,
    default: [],
    summary: "additional host names of the server, such as the name of a proxy; if set, all callers need a token",
  },
  agent_secrets: {
    kind: "choice",
    choices: ["required", "optional"],
    default: "optional",
    summary: "whether an agent must send the secret of its registration with each call",
  },
  operator_token: {
    kind: "text",
    needsNamedFile: true,
    default: "",
    isSecret: true,
    summary: "the operator's token, instead of the one in the data folder; at least 32 characters",
  },
  log_level: {
    kind: "choice",
    choices: ["silent", "error", "warn", "info", "debug"],
    default: "warn",
    summary: "the least severe log lines that the server writes to standard error",
  },
  log_format: {
    kind: "choice",
    choices: ["lines", "json"],
    default: "lines",
    summary: "the format of the log: lines for people or JSON for programs; --json implies json",
  },
  audit_log: {
    kind: "choice",
    choices: ["store", "file"],
    default: "store",
    summary: "where the audit log is: only in the journal, or also as lines of JSON in audit/audit.ndjson",
  },
  audit_file_bytes_max: {
    kind: "number",
    default: 64 * 1024 * 1024,
    min: 4_096,
    summary: "the size in bytes at which the audit file is rotated",
  },
  audit_files_kept: {
    kind: "number",
    default: 0,
    min: 0,
    summary: "maximum rotated audit files; older ones are deleted, and 0 keeps all",
  },
  storage_roots: {
    kind: "list",
    needsNamedFile: true,
    default: [],
    summary:
      "the folders of published files, as name=folder; without it a data folder with a journal has the root main in files",
  },
  allow_network_root: {
    kind: "switch",
    default: false,
    summary: "accepts storage roots on file systems of the network, such as NFS, and of users' programs (FUSE)",
  },
  public_url: {
    kind: "text",
    needsNamedFile: true,
    default: "",
    summary:
      "the address of this node for clients, which other nodes name for its storage roots; by default that of host and port",
  },
  workers: {
    kind: "number",
    default: 1,
    min: 0,
    max: 64,
    summary: "worker processes for the jobs of the workspace, started with its first project; 0 starts none",
  },
  calls_per_second: {
    kind: "number",
    default: 50_000,
    min: 1,
    summary: "maximum calls per second of one agent, or of one connection without an agent",
  },
  principal_calls_per_second: {
    kind: "number",
    default: 100_000,
    min: 1,
    summary: "maximum calls per second of one principal, over all its tokens",
  },
  watches_max: {
    kind: "number",
    default: 10_000,
    min: 1,
    summary: "maximum concurrent watches of one principal, including event streams and long polls",
  },
  agents_max: { kind: "number", default: 10_000, min: 1, summary: "maximum registered agents of one principal" },
  connection_watches_max: {
    kind: "number",
    default: 4_096,
    min: 1,
    summary: "maximum concurrent watches of one connection without a token",
  },
  connection_agents_max: {
    kind: "number",
    default: 2_048,
    min: 1,
    summary: "maximum registered agents of one connection without a token",
  },
  connections_per_address_max: {
    kind: "number",
    default: 2_048,
    min: 1,
    summary: "maximum connections from one IP address; behind a proxy all clients have its address",
  },
  connections_max: {
    kind: "number",
    default: 4_096,
    min: 1,
    summary: "maximum connections from all addresses; the operator's socket has its own limit",
  },
  check_threads: {
    kind: "number",
    default: 1,
    min: 1,
    max: 16,
    summary: "threads for checks, such as those of programs; checks of one program share a thread",
  },
  lock_manager: {
    kind: "switch",
    default: true,
    summary: "whether callers can acquire locks; components that need locks do not start without them",
  },
  nats: {
    kind: "list",
    needsNamedFile: true,
    default: [],
    summary: "the nats-server for commands and events, such as nats://127.0.0.1:4222; without it there is no mesh",
  },
  nats_principal: {
    kind: "text",
    needsNamedFile: true,
    default: "",
    summary: "the principal of commands over NATS that have no token; without it each command needs a token",
  },
  nats_reply_prefixes: {
    kind: "list",
    needsNamedFile: true,
    default: ["_INBOX."],
    summary:
      "the prefixes of the NATS subjects that may receive answers; a request with another reply address is dropped",
  },
  nats_creds: {
    kind: "text",
    needsNamedFile: true,
    default: "",
    summary: "the file with the credentials for NATS, as nsc creates it",
  },
  nats_user: { kind: "text", needsNamedFile: true, default: "", summary: "the user for NATS" },
  nats_password: {
    kind: "text",
    needsNamedFile: true,
    default: "",
    isSecret: true,
    summary: "the password of the user for NATS",
  },
  nats_token: { kind: "text", needsNamedFile: true, default: "", isSecret: true, summary: "the token for NATS" },
  nats_ca: {
    kind: "text",
    needsNamedFile: true,
    default: "",
    summary: "the file with the CA certificates for the nats-server (TLS)",
  },
  nats_cert: {
    kind: "text",
    needsNamedFile: true,
    default: "",
    summary: "the file with the client certificate for the nats-server (TLS)",
  },
  nats_key: {
    kind: "text",
    needsNamedFile: true,
    default: "",
    summary: "the file with the private key of that certificate",
  },
  nats_publish_after: {
    kind: "number",
    default: 0,
    summary: "the position after which publishing starts if the event stream does not contain its own position",
  },
} as const satisfies Readonly<Record<string, Setting>>;

type Settings = typeof settings;
export type SettingName = keyof Settings;

type ValueOf<S extends Setting> = S["kind"] extends "number"
  ? number
  : S["kind"] extends "switch"
    ? boolean
    : S["kind"] extends "list"
      ? readonly string[]
      : S extends { readonly choices: readonly (infer Choice)[] }
        ? Choice
        : string;

/** The values of all settings. */
export type Config = { readonly [Name in SettingName]: ValueOf<Settings[Name]> };

/** The source of a value. A later one in this list overrides an earlier one. */
export type SettingSource = "default" | "file" | "environment" | "option";

export const settingNames = Object.keys(settings) as readonly SettingName[];

export function settingOf(name: SettingName): Setting {
  return settings[name];
}

/** The option of a setting: `--lock-manager` for `lock_manager`, without the dashes in front. */
export function optionOf(name: SettingName): string {
  return name.replaceAll("_", "-");
}

/** The environment variable of a setting: `HOLDFAST_LOCK_MANAGER` for `lock_manager`. */
export function variableOf(name: SettingName): string {
  return `HOLDFAST_${name.toUpperCase()}`;
}

/** Environment variables of clients and commands, which are not settings of a server. */
export const clientVariables = {
  HOLDFAST_URL: "the server for commands, such as http://127.0.0.1:4653; several nodes are separated by commas",
  HOLDFAST_TOKEN: "the token that commands send",
  HOLDFAST_NAME: "the name of the agent that commands act as; see `holdfast help take`",
  HOLDFAST_AGENT_ID: "the agent that commands act as; `holdfast lock` sets it for its child",
  HOLDFAST_AGENT_SECRET: "the secret of that agent",
  HOLDFAST_FENCE: "set by `holdfast lock` for its child: the fence of the lock",
  HOLDFAST_LOCK_PATHS: "set by `holdfast lock` for its child: the held paths, one per line",
  HOLDFAST_CONFIG: "the configuration file; by default holdfast.json in the data folder",
} as const;
