import { defined } from "@holdfast/sdk/base/defined";
import type { CliCommand } from "../command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { needsOperatorToken } from "./token-create.ts";

export const tokenRevokeCommand: CliCommand = serverCommand({
  name: "token revoke",
  usage: "TOKEN",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "revoke a token immediately",
  details: [
    "Revokes a token immediately, including for open connections. TOKEN is the id of the token.",
    needsOperatorToken,
    "",
    '  holdfast token revoke 6f1c… --reason "it was in a log"',
  ],
  options: { reason: { value: "TEXT", summary: "the reason, which is stored in the history" } },
  operations: ["revoke-token"],
  isForOperators: () => true,
  async execute({ call, positionals, values, show }) {
    const reason = textOption(values, "reason");
    const revoked = await call("revoke-token", { token_id: positionals[0] ?? "", ...defined({ reason }) });
    return show(
      revoked,
      () => `revoked token ${escapeControlChars(revoked.token_id)} of ${escapeControlChars(revoked.principal)}.`,
    );
  },
});
