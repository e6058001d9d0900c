import type { Token } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import { limitDefault, limitOption, moreWords, readPages } from "../discovery/all-pages.ts";
import { type Command, UsageError } from "../command.ts";
import { harmless } from "../terminal/harmless.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { table } from "../terminal/table.ts";

const verbs = ["read", "write", "lock", "register", "operate"] as const;
type Verb = (typeof verbs)[number];
type Allowance = Token["allow"][number];

const daySeconds = 86_400;
const needsToken = "It needs the operator's token: --token, HOLDFAST_TOKEN, or the file in the data folder.";

export const tokenCreateCommand: Command = serverCommand({
  name: "token create",
  words: "PRINCIPAL",
  wordsMin: 1,
  wordsMax: 1,
  summary: "make a token for somebody, and say what it may do",
  details: [
    "Makes a token with which its bearer acts as PRINCIPAL, and prints its secret, this once. --allow says what it may do:",
    `verbs (${verbs.join(", ")}) and, after a colon, the path below which it may; several of`,
    "these between semicolons. " + needsToken,
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
  async ask({ client, words, values, show }) {
    const allow = allowancesOf(textOption(values, "allow"));
    const days = numberOption(values, "days", 1);
    const note = textOption(values, "note");
    const key = textOption(values, "key");
    const wanted = {
      principal: words[0] ?? "",
      allow,
      ...(days === undefined ? {} : { expiresInSeconds: days * daySeconds }),
      ...(note === undefined ? {} : { note }),
    };
    const token = await client.tokens.create(wanted, key === undefined ? {} : { key });
    return show(token, () =>
      [
        `token ${token.token_id} for ${harmless(token.principal)}, until ${token.expires_at}.`,
        `Its secret is shown this once: ${token.secret}`,
      ].join("\n"),
    );
  },
});

export const tokenListCommand: Command = serverCommand({
  name: "token list",
  wordsMax: 0,
  summary: "show the tokens that are good for something",
  details: ["Shows every token that is neither revoked nor expired.", needsToken, "", "  holdfast token list"],
  options: { limit: limitOption },
  operations: ["list-tokens"],
  isForOperators: () => true,
  async ask({ client, terminal, values, show }) {
    const limit = numberOption(values, "limit", 1) ?? limitDefault;
    const page = await readPages(limit, (part) => client.tokens.list(part));
    const nowMs = systemClock.wallMs();
    const rows = page.items.map(({ token_id, principal, allow, expires_at, note }) => [
      token_id,
      harmless(principal),
      allow.map(({ verbs: may, under }) => `${may.join(",")}${under === "" ? "" : `:${harmless(under)}`}`).join(";"),
      relativeTime(expires_at, nowMs),
      harmless(note ?? "-"),
    ]);
    const headings = ["TOKEN", "PRINCIPAL", "MAY", "EXPIRES", "NOTE"];
    return show(page, () =>
      rows.length === 0 ? "There is no token." : table(headings, rows, terminal.paint) + moreWords(page.next),
    );
  },
});

export const tokenRevokeCommand: Command = serverCommand({
  name: "token revoke",
  words: "TOKEN",
  wordsMin: 1,
  wordsMax: 1,
  summary: "end a token at once",
  details: [
    "Ends a token at once, also for whoever is connected with it. TOKEN is its id.",
    needsToken,
    "",
    '  holdfast token revoke 6f1c… --reason "it was in a log"',
  ],
  options: { reason: { value: "TEXT", summary: "why; it is kept in the history" } },
  operations: ["revoke-token"],
  isForOperators: () => true,
  async ask({ client, words, values, show }) {
    const reason = textOption(values, "reason");
    const revoked = await client.tokens.revoke(words[0] ?? "", reason === undefined ? {} : { reason });
    return show(revoked, () => `token ${harmless(revoked.token_id)} of ${harmless(revoked.principal)} is void.`);
  },
});

/** `read,lock:repo/x;read` */
function allowancesOf(text: string | undefined): readonly Allowance[] {
  if (text === undefined) throw new UsageError(`say what it may do: --allow=VERBS[:PATH], of ${verbs.join(", ")}`);
  return text.split(";").map((part) => {
    const colon = part.indexOf(":");
    const words = (colon < 0 ? part : part.slice(0, colon)).split(",").map((word) => word.trim());
    const wrong = words.find((word) => !(verbs as readonly string[]).includes(word));
    if (wrong !== undefined) throw new UsageError(`--allow takes verbs of ${verbs.join(", ")}, not "${wrong}"`);
    return { verbs: words as Verb[], under: colon < 0 ? "" : part.slice(colon + 1).trim() };
  });
}
