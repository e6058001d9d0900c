import { defined } from "@holdfast/sdk/base/defined";
import type { WireOutput } from "@holdfast/sdk";
import { systemClock } from "../../../base/clock.ts";
import type { CliCommand } from "../command.ts";
import { agentLabel } from "../terminal/agent-label.ts";
import { missedLines } from "../terminal/missed-lines.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { textOption } from "../args/option-values.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { serverCommand } from "../discovery/server-command.ts";

export const whoamiCommand: CliCommand = serverCommand({
  name: "whoami",
  positionalsMax: 0,
  summary: "show the rights of the caller, and the locks and tickets of its agent",
  details: [
    "Shows the principal, its rights and the end of its token. The agent is that of HOLDFAST_AGENT_ID and",
    "HOLDFAST_AGENT_SECRET, which `holdfast lock` sets for its command. It is shown with its held locks, the end of their",
    "leases, and its tickets. With --owner it shows another owner.",
    "",
    "  holdfast whoami",
    "  holdfast whoami --owner nightly-job",
  ],
  options: { owner: { value: "ID", summary: "another owner: the id of an agent, or the name of an owner" } },
  operations: ["who-am-i"],
  async execute({ call, values, show }) {
    const ownerId = textOption(values, "owner");
    const answer = await call("who-am-i", defined({ owner_id: ownerId }));
    return show(answer, () => whoamiText(answer, systemClock.wallMs()));
  },
});

function callerText({ principal, allow, token_expires_at: expires }: WireOutput<"who-am-i">, nowMs: number): string {
  const scopes = allow.map(
    ({ verbs, under }) =>
      `  may ${verbs.join(", ")} ${under === "" ? "everywhere" : `under ${escapeControlChars(under)}`}`,
  );
  const end = expires === null ? [] : [`  the token ends ${relativeTime(expires, nowMs)}`];
  return [`principal ${escapeControlChars(principal)}`, ...scopes, ...end].join("\n");
}

function whoamiText(answer: WireOutput<"who-am-i">, nowMs: number): string {
  const { agent, holds, waits } = answer;
  const identity =
    agent === null
      ? ["not a registered agent"]
      : [
          `agent ${agentLabel(agent.agent_id, agent.name)}`,
          ...(agent.purpose === null ? [] : [`"${escapeControlChars(agent.purpose)}"`]),
        ];
  const held = holds.map(
    ({ paths, fence, purpose, state, expires_at }) =>
      `  holds ${paths.map(({ path, mode }) => `${escapeControlChars(path)} (${mode})`).join(", ")}` +
      `${purpose === null ? "" : `: "${escapeControlChars(purpose)}"`}; fence ${fence}, ` +
      `${state === "stale" ? "stale since" : "lease ends"} ${relativeTime(expires_at, nowMs)}`,
  );
  const waiting = waits.map(
    ({ path, mode, ticket, since }) =>
      `  waits for ${escapeControlChars(path)} (${mode}) with ticket ${ticket}, since ${relativeTime(since, nowMs)}`,
  );
  const nothing = held.length + waiting.length === 0 ? ["  holds no locks and has no tickets"] : [];
  const missed = missedLines(answer.missed, nowMs).map((line) => `  ${line}`);
  return [callerText(answer, nowMs), identity.join(", "), ...held, ...waiting, ...nothing, ...missed].join("\n");
}
