import type { Token } from "@holdfast/sdk";
import type { Command } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";

const verbs = ["read", "write", "lock", "register", "operate"] as const;
type Verb = (typeof verbs)[number];
type Allowance = Token["allow"][number];

const daySeconds = 86_400;

export const needsOperatorToken =
  "It needs the operator's token: --token, HOLDFAST_TOKEN, or the file in the data folder.";

export const tokenCreateCommand: Command = serverCommand({
  name: "token create",
  usage: "PRINCIPAL",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "make a token for somebody, and say what it may do",
  details: [
    "Makes a token with which its bearer acts as PRINCIPAL, and prints its secret, this once. --allow says what it may do:",
    `verbs (${verbs.join(", ")}) and, after a colon, the path below which it may; several of`,
    "these between semicolons. " + needsOperatorToken,
    "",
    "  holdfast token create ci --allow read,lock,register:repo/x",
    '  holdfast token create planner --allow "read;read,write,lock,register:plan" --days 7 --note "the night shift"',
  ],
  options: {
    allow: { value: "VERBS[:PATH]", summary: "what it may do, and below which path; everywhere, if no path is given" },
    days: { value: "N", summary: "how long it is good for; 30 days if not given" },
    note: { value: "TEXT", summary: "what it is for" },
    key: { value: "KEY", summary: "asking again with the same key gives the same token a new secret" },
  },
  operations: ["create-token"],
  isForOperators: () => true,
  async execute({ client, positionals, values, show }) {
    const allow = allowancesOf(textOption(values, "allow"));
    const days = numberOption(values, "days", 1);
    const note = textOption(values, "note");
    const key = textOption(values, "key");
    const wanted = {
      principal: positionals[0] ?? "",
      allow,
      ...(days === undefined ? {} : { expiresInSeconds: days * daySeconds }),
      ...(note === undefined ? {} : { note }),
    };
    const token = await client.tokens.create(wanted, key === undefined ? {} : { key });
    return show(token, () =>
      [
        `token ${token.token_id} for ${escapeControlChars(token.principal)}, until ${token.expires_at}.`,
        `Its secret is shown this once: ${token.secret}`,
      ].join("\n"),
    );
  },
});

/** `read,lock:repo/x;read` */
function allowancesOf(text: string | undefined): readonly Allowance[] {
  if (text === undefined) throw new UsageError(`say what it may do: --allow=VERBS[:PATH], of ${verbs.join(", ")}`);
  return text.split(";").map((part) => {
    const colon = part.indexOf(":");
    const named = (colon < 0 ? part : part.slice(0, colon)).split(",").map((word) => word.trim());
    const wrong = named.find((word) => !(verbs as readonly string[]).includes(word));
    if (wrong !== undefined) throw new UsageError(`--allow takes verbs of ${verbs.join(", ")}, not "${wrong}"`);
    return { verbs: named as Verb[], under: colon < 0 ? "" : part.slice(colon + 1).trim() };
  });
}
