/**
 * Every setting of a server, as data. Options, environment variables, keys of the file, `holdfast help up`, the page
 * docs/reference/configuration.md and all checks come from this table: a setting is added here, and is everywhere.
 */
export interface Setting {
  readonly kind: SettingKind;
  readonly default: SettingValue;
  readonly summary: string;
  /** For `choice`. */
  readonly choices?: readonly string[];
  /** For `number`. */
  readonly min?: number;
  readonly max?: number;
  /** Never an option, which everybody on the host can see, and never shown. */
  readonly isSecret?: true;
}

/**
 * `switch` is on or off; `list` is words between commas, or an array in the file; `postgres` is the address of a database,
 * which may hold a password and is shown without.
 */
export type SettingKind = "text" | "number" | "switch" | "list" | "choice" | "postgres";

export type SettingValue = string | number | boolean | readonly string[];

const portMax = 65_535;

export const settings = {
  data: {
    kind: "text",
    default: ".holdfast",
    summary: "the data folder; it is made if it does not exist",
  },
  journal: {
    kind: "postgres",
    default: "",
    summary: "the Postgres database that keeps the journal, for several nodes; without it the data folder does",
  },
  space: {
    kind: "text",
    default: "main",
    summary: "which of the spaces of that database this node serves",
  },
  host: {
    kind: "text",
    default: "127.0.0.1",
    summary: "the address to listen on; at one that others can reach everybody needs a token",
  },
  port: {
    kind: "number",
    default: 4653,
    min: 0,
    max: portMax,
    summary: "the port to listen on; 0: any free one",
  },
  require_token: {
    kind: "switch",
    default: false,
    summary: "let nobody in without a token, not even from this host",
  },
  allowed_hosts: {
    kind: "list",
    default: [],
    summary: "further names under which the server is reached, such as a proxy's; then everybody needs a token",
  },
  agent_secrets: {
    kind: "choice",
    choices: ["required", "optional"],
    default: "optional",
    summary: "whether an agent must send the secret of its registration with every call",
  },
  operator_token: {
    kind: "text",
    default: "",
    isSecret: true,
    summary: "the operator's token, if it should not be the one in the data folder; 32 characters at least",
  },
  log_level: {
    kind: "choice",
    choices: ["silent", "error", "warn", "info", "debug"],
    default: "warn",
    summary: "how much the server tells on standard error while it runs",
  },
  log_format: {
    kind: "choice",
    choices: ["lines", "json"],
    default: "lines",
    summary: "whether it tells that to people or to programs; with --json always to programs",
  },
  calls_per_second: {
    kind: "number",
    default: 50_000,
    min: 1,
    summary: "how many calls one agent may send, or a connection on which no agent speaks",
  },
  principal_calls_per_second: {
    kind: "number",
    default: 100_000,
    min: 1,
    summary: "how many calls all may send who come with tokens of one principal",
  },
  watches_max: {
    kind: "number",
    default: 10_000,
    min: 1,
    summary: "how many watches one principal may have, event streams and long polls included",
  },
  agents_max: { kind: "number", default: 10_000, min: 1, summary: "how many agents one principal may register" },
  connections_per_address_max: {
    kind: "number",
    default: 2_048,
    min: 1,
    summary: "how many connections may come from one address",
  },
  lock_manager: {
    kind: "switch",
    default: true,
    summary: "whether locks can be taken; what needs them does not start without",
  },
  nats: {
    kind: "list",
    default: [],
    summary:
      "the nats-server to take commands from and publish events to, such as nats://127.0.0.1:4222; none: no mesh",
  },
  nats_principal: {
    kind: "text",
    default: "",
    summary: "who commands over NATS without a token act as; without it each of them needs a token",
  },
  nats_creds: { kind: "text", default: "", summary: "the file with the credentials for NATS, as nsc makes it" },
  nats_user: { kind: "text", default: "", summary: "the user for NATS" },
  nats_password: { kind: "text", default: "", isSecret: true, summary: "the password of the user for NATS" },
  nats_token: { kind: "text", default: "", isSecret: true, summary: "the token for NATS, if it asks for one" },
  nats_ca: { kind: "text", default: "", summary: "the file with the authorities that vouch for the nats-server (TLS)" },
  nats_cert: {
    kind: "text",
    default: "",
    summary: "the file with the certificate that is shown to the nats-server (TLS)",
  },
  nats_key: { kind: "text", default: "", summary: "the file with the key of that certificate" },
  nats_publish_after: {
    kind: "number",
    default: 0,
    summary: "after which position events are published, where the event stream does not say how far it went",
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

/** What a server is started with. */
export type Config = { readonly [Name in SettingName]: ValueOf<Settings[Name]> };

/** Where a value came from; later ones win. */
export type SettingSource = "default" | "file" | "environment" | "option";

/** All of them, or those that may be given as options. */
export const settingNames = Object.keys(settings) as readonly SettingName[];

export function settingOf(name: SettingName): Setting {
  return settings[name];
}

/** `lock_manager` is `--lock-manager` … */
export function optionOf(name: SettingName): string {
  return name.replaceAll("_", "-");
}

/** … and `HOLDFAST_LOCK_MANAGER`. */
export function variableOf(name: SettingName): string {
  return `HOLDFAST_${name.toUpperCase()}`;
}

/** Variables that are not settings of a server: clients and commands read them. */
export const clientVariables = {
  HOLDFAST_URL: "the server that commands talk to, such as http://127.0.0.1:4653; several nodes between commas",
  HOLDFAST_TOKEN: "the token that commands send",
  HOLDFAST_AGENT_ID: "the agent that commands act as; `holdfast lock` sets it for its child",
  HOLDFAST_AGENT_SECRET: "the secret of that agent",
  HOLDFAST_FENCE: "set by `holdfast lock` for its child: the fence of the lock",
  HOLDFAST_LOCK_PATHS: "set by `holdfast lock` for its child: the paths that are held, one a line",
  HOLDFAST_CONFIG: "the configuration file; holdfast.json in the data folder, if not given",
} as const;
