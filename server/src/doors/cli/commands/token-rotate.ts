import { defined } from "@holdfast/sdk/base/defined";
import type { CliCommand } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { numberOption, textOption } from "../args/option-values.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { needsOperatorToken } from "./token-create.ts";

export const tokenRotateCommand: CliCommand = serverCommand({
  name: "token rotate",
  usage: "[TOKEN]",
  positionalsMax: 1,
  summary: "replace the secret of a token, or the operator's token",
  details: [
    "Gives a token a new secret and prints it once. Id, rights and expiry stay. TOKEN is the id of the token. The old",
    "secret is invalid immediately, including for open connections, or after --grace.",
    "--operator replaces the operator's token in the data folder of the server instead. The old one is invalid",
    "immediately. It is refused if the token is configured: change HOLDFAST_OPERATOR_TOKEN and restart the server.",
    needsOperatorToken,
    "",
    "  holdfast token rotate 6f1c… --grace 3600",
    "  holdfast token rotate --operator",
  ],
  options: {
    grace: { value: "SECONDS", summary: "time for which the old secret stays valid (default: 0, at most 7 days)" },
    key: {
      value: "KEY",
      summary: "the idempotency key: a repeated key replaces the new secret and keeps the grace period",
    },
    operator: { summary: "replace the operator's token" },
  },
  operations: ["rotate-token", "rotate-operator-token"],
  isForOperators: () => true,
  execute: (context) => (context.values["operator"] === true ? rotateOperator(context) : rotate(context)),
});

async function rotate({ call, positionals, values, show }: CommandContext): Promise<ExitCode> {
  const [tokenId] = positionals;
  if (tokenId === undefined)
    throw new UsageError("TOKEN is required, or --operator; `holdfast token list` shows all ids");
  const graceSeconds = numberOption(values, "grace", 0);
  const token = await call(
    "rotate-token",
    { token_id: tokenId, ...defined({ grace_seconds: graceSeconds }) },
    { key: textOption(values, "key") },
  );
  return show(token, () =>
    [
      `token ${escapeControlChars(token.token_id)} of ${escapeControlChars(token.principal)} has a new secret.`,
      `The old one is valid until ${token.old_secret_valid_until}.`,
      `The secret is shown only once: ${token.secret}`,
    ].join("\n"),
  );
}

async function rotateOperator({ call, positionals, values, show }: CommandContext): Promise<ExitCode> {
  if (positionals.length > 0) throw new UsageError("use TOKEN or --operator, not both");
  if (values["grace"] !== undefined) throw new UsageError("--grace does not apply to --operator");
  const rotated = await call("rotate-operator-token", {}, { key: textOption(values, "key") });
  return show(rotated, () => `the operator's token is new; it is in ${escapeControlChars(rotated.file)}.`);
}
