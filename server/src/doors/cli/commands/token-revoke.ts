import type { Command } from "../command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { needsOperatorToken } from "./token-create.ts";

export const tokenRevokeCommand: Command = serverCommand({
  name: "token revoke",
  usage: "TOKEN",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "end a token at once",
  details: [
    "Ends a token at once, also for whoever is connected with it. TOKEN is its id.",
    needsOperatorToken,
    "",
    '  holdfast token revoke 6f1c… --reason "it was in a log"',
  ],
  options: { reason: { value: "TEXT", summary: "why; it is kept in the history" } },
  operations: ["revoke-token"],
  isForOperators: () => true,
  async execute({ client, positionals, values, show }) {
    const reason = textOption(values, "reason");
    const revoked = await client.tokens.revoke(positionals[0] ?? "", reason === undefined ? {} : { reason });
    return show(
      revoked,
      () => `token ${escapeControlChars(revoked.token_id)} of ${escapeControlChars(revoked.principal)} is void.`,
    );
  },
});
