import { defined } from "@holdfast/sdk/base/defined";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import type { OutputOf, allOperations } from "@holdfast/sdk/contract";
import { jsonLine } from "../../../base/json-line.ts";
import { systemClock } from "../../../base/clock.ts";
import { choiceOption, secondsOption, textOption } from "../args/option-values.ts";
import { lockPathsOf } from "../args/lock-paths.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { CommandContext } from "../discovery/server-command.ts";
import type { CallingAgent } from "../discovery/server-caller.ts";
import { AgentNames } from "../terminal/agent-names.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { holderLine, previousHoldLine } from "../terminal/lock-table.ts";
import { missedLines } from "../terminal/missed-lines.ts";
import { clockTime, duration } from "../terminal/relative-time.ts";
import { knownHolders } from "./known-holders.ts";
import { registerNamed } from "./register-named.ts";

type AcquireReply = OutputOf<(typeof allOperations)["acquire-lock"]>;
type GrantedReply = Extract<AcquireReply, { readonly granted: true }>;

/** Lease of a lock that is kept by the commands of its agent. */
const ttlDefault = 3_600;
/** Lease of a ticket after the command that waits has ended. */
const ticketSeconds = 120;
/** Maximum wait of one request, below the limit of the server. */
const pollSeconds = 25;

/** Acquires a lock that outlives the command. With `timeoutSeconds` it waits in the queue. */
export async function takeLock(context: CommandContext, timeoutSeconds?: number): Promise<ExitCode> {
  const { values } = context;
  const paths = lockPathsOf(context);
  const purpose = textOption(values, "purpose");
  const request = defined({
    paths: [...paths],
    mode: choiceOption(values, "mode", ["read", "upgradeable", "write"]),
    scope: choiceOption(values, "scope", ["tree", "self"]),
    purpose,
    note: textOption(values, "note"),
    ttl_seconds: secondsOption(values, "ttl", 1) ?? ttlDefault,
  });
  const agent = await registerNamed(context, purpose);
  try {
    const reply =
      timeoutSeconds === undefined
        ? await context.call("acquire-lock", request, { agent })
        : await untilGranted(context, agent, { ...request, wait: true, ticket_seconds: ticketSeconds }, timeoutSeconds);
    return reply.granted ? await printGrant(context, reply) : await printDenial(context, paths, { ...reply });
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== "lock_denied") throw error;
    return printDenial(context, paths, error.data);
  }
}

/** Repeats the request: the server answers an equal request of the same agent with its place in the queue. */
async function untilGranted(
  context: CommandContext,
  agent: CallingAgent,
  request: { readonly paths: readonly string[]; readonly wait: true; readonly ticket_seconds: number },
  timeoutSeconds: number,
): Promise<AcquireReply> {
  const endMs = systemClock.monotonicMs() + timeoutSeconds * 1_000;
  for (let polls = 0; ; polls += 1) {
    const leftSeconds = Math.ceil((endMs - systemClock.monotonicMs()) / 1_000);
    // The first answer comes at once, so that a person or an agent sees the reason of the wait.
    const seconds = polls === 0 ? 0 : Math.max(0, Math.min(pollSeconds, leftSeconds));
    const reply = (await context.longPoll("acquire-lock", "/v1/locks/acquire", {
      input: request,
      agent,
      seconds,
    })) as AcquireReply;
    if (reply.granted || leftSeconds <= 0) return reply;
    if (polls === 0) await printWait(context, request.paths, reply);
  }
}

async function printWait(
  context: CommandContext,
  paths: readonly string[],
  reply: Exclude<AcquireReply, GrantedReply>,
): Promise<void> {
  const { terminal, isJson } = context;
  // A program reads one object, the outcome.
  if (isJson) return;
  const nowMs = systemClock.wallMs();
  const holders = (await knownHolders(context, paths, { ...reply })).map((holder) => holderLine(holder, nowMs));
  const notes = missedLines(reply.missed, nowMs).map((line) => `\nholdfast: note: you ${line}`);
  terminal.warn(`holdfast: waiting at queue position ${reply.place}: ${holders.join("; ")}${notes.join("")}`);
}

async function printGrant(context: CommandContext, reply: GrantedReply): Promise<ExitCode> {
  const { terminal, values, isJson } = context;
  if (isJson) {
    terminal.print(jsonLine({ event: "granted", ...reply }));
    return exitCodes.done;
  }
  const nowMs = systemClock.wallMs();
  const paths = reply.paths.map(({ path }) => escapeControlChars(path));
  const untilMs = Date.parse(reply.expires_at);
  const given = textOption(values, "name");
  const suffix = given === undefined ? "" : ` --name ${quoted(given)}`;
  const unreleased = reply.left_before.filter(({ how }) => how !== "released");
  const names = new AgentNames(context);
  await names.load(unreleased.map(({ by }) => by));
  terminal.print(
    [
      `you have ${paths.join(", ")} until ${clockTime(untilMs)} (${duration(untilMs - nowMs)}), fence ${reply.fence}.`,
      `Each holdfast command as this agent keeps it, such as \`holdfast whoami${suffix}\`.`,
      `Release it with \`holdfast release ${paths.join(" ")}${suffix}\`.`,
      ...unreleased.map((hold) => `note: ${previousHoldLine({ ...hold, by: names.label(hold.by) }, nowMs)}`),
      ...missedLines(reply.missed, nowMs).map((line) => `note: you ${line}`),
    ].join("\n"),
  );
  return exitCodes.done;
}

async function printDenial(
  context: CommandContext,
  paths: readonly string[],
  data: Readonly<Record<string, unknown>>,
): Promise<ExitCode> {
  const { terminal, isJson } = context;
  if (isJson) {
    terminal.print(jsonLine({ event: "denied", code: "lock_denied", exit: exitCodes.denied, ...data }));
    return exitCodes.denied;
  }
  const nowMs = systemClock.wallMs();
  const shown = paths.map(escapeControlChars).join(" ");
  const lines = (await knownHolders(context, paths, data)).map((holder) => `  ${holderLine(holder, nowMs)}`);
  const { place, ticket, expires_at: until } = data;
  const kept =
    typeof ticket === "string" && typeof until === "string" ? `, kept until ${clockTime(Date.parse(until))}` : "";
  const next =
    ticket === undefined
      ? `Wait for it with \`holdfast wait ${shown}\`, or ask the holder with \`holdfast ask ${shown} --reason TEXT\`.`
      : `Continue with the same command, or ask the holder with \`holdfast ask ${shown} --reason TEXT\`.`;
  terminal.warn(
    [`holdfast: ${shown} is not free (queue position ${String(place)}${kept}):`, ...lines, next].join("\n"),
  );
  return exitCodes.denied;
}

function quoted(text: string): string {
  return /^[\w.@-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
