import { defined } from "@holdfast/sdk/base/defined";
import type { Token } from "@holdfast/sdk";
import type { CliCommand } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { choiceOption, numberOption, textOption } from "../args/option-values.ts";
import type { OptionValues } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";

const verbs = ["read", "write", "lock", "register", "operate", "work"] as const;
type Verb = (typeof verbs)[number];
type Allowance = Token["allow"][number];

const daySeconds = 86_400;

export const needsOperatorToken =
  "It needs the operator's token: --token-file, HOLDFAST_TOKEN, or the file in the data folder.";

export const tokenCreateCommand: CliCommand = serverCommand({
  name: "token create",
  usage: "PRINCIPAL [PATH]",
  positionalsMin: 1,
  positionalsMax: 2,
  summary: "create a token with permissions for a principal",
  details: [
    "Creates a token whose bearer acts as PRINCIPAL, and prints its secret once. --allow lists its permissions: verbs",
    `(${verbs.join(", ")}) and, after a colon, the path below which they apply. Semicolons`,
    "separate several permissions.",
    needsOperatorToken,
    "",
    "--for is shorter. `agent` registers, locks, reads and writes below PATH, and reads the whole space. `reader` reads",
    "everything, and `operator` may do everything.",
    "",
    "  holdfast token create ci repo/x --for agent",
    "  holdfast token create ci --allow read,lock,register:repo/x",
    '  holdfast token create planner --allow "read;read,write,lock,register:plan" --days 7 --note "the night shift"',
  ],
  options: {
    for: { value: "agent|reader|operator", summary: "the permissions of a role; an agent works below PATH" },
    allow: {
      value: "VERBS[:PATH]",
      summary: "the permissions, and the path below which they apply (default: all paths)",
    },
    days: { value: "N", summary: "days until the token expires (default: 30)" },
    note: { value: "TEXT", summary: "the purpose of the token" },
    key: { value: "KEY", summary: "the idempotency key: a repeated key gives the same token a new secret" },
  },
  operations: ["create-token"],
  isForOperators: () => true,
  async execute({ call, positionals, values, show }) {
    const allow = permissionsOf(values, positionals[1]);
    const days = numberOption(values, "days", 1);
    const note = textOption(values, "note");
    const key = textOption(values, "key");
    const expiresInSeconds = days === undefined ? undefined : days * daySeconds;
    const newToken = defined({ principal: positionals[0] ?? "", allow, expires_in_seconds: expiresInSeconds, note });
    const token = await call("create-token", newToken, { key });
    return show(token, () =>
      [
        `token ${token.token_id} for ${escapeControlChars(token.principal)}, valid until ${token.expires_at}.`,
        `The secret is shown only once: ${token.secret}`,
      ].join("\n"),
    );
  },
});

/** The permissions of --for or of --allow. */
function permissionsOf(values: OptionValues, path: string | undefined): readonly Allowance[] {
  const role = choiceOption(values, "for", ["agent", "reader", "operator"]);
  const allow = textOption(values, "allow");
  if (role === undefined) {
    if (path !== undefined) throw new UsageError(`unexpected argument "${path}": a path needs --for agent`);
    return allowancesOf(allow);
  }
  if (allow !== undefined) throw new UsageError("use --for or --allow, not both");
  if (role !== "agent" && path !== undefined) throw new UsageError(`--for ${role} takes no path`);
  if (role === "reader") return [{ verbs: ["read"], under: "" }];
  if (role === "operator") return [{ verbs: [...verbs], under: "" }];
  // The right to read the whole space shows an agent the other agents.
  return [
    { verbs: ["read"], under: "" },
    { verbs: ["read", "write", "lock", "register", "work"], under: path ?? "" },
  ];
}

/** `read,lock:repo/x;read` */
function allowancesOf(text: string | undefined): readonly Allowance[] {
  if (text === undefined)
    throw new UsageError(`--allow is required, or --for: --allow=VERBS[:PATH], with the verbs ${verbs.join(", ")}`);
  return text.split(";").map((part) => {
    const colon = part.indexOf(":");
    const named = (colon < 0 ? part : part.slice(0, colon)).split(",").map((verb) => verb.trim());
    const unknown = named.find((verb) => !(verbs as readonly string[]).includes(verb));
    if (unknown !== undefined)
      throw new UsageError(`--allow must contain only the verbs ${verbs.join(", ")}, not "${unknown}"`);
    return { verbs: named as Verb[], under: colon < 0 ? "" : part.slice(colon + 1).trim() };
  });
}
