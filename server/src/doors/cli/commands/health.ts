import { type Command, type CommandArguments, type Terminal } from "../command.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { serverOf } from "../discovery/server-of.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

export const healthCommand: Command = {
  name: "health",
  positionalsMax: 0,
  summary: "ask a server whether it can work",
  details: [
    "Asks a server whether it lives, whether it is ready to write and, if not, why not. It ends with 0 only if it is ready.",
    "Of several nodes, named between commas, each is asked.",
    "",
    "  holdfast health",
    "  holdfast health --url http://10.0.0.5:4653 --json",
  ],
  options: {
    url: { value: "URL", summary: "the server; otherwise HOLDFAST_URL, otherwise the one on the nearest .holdfast" },
    data: { value: "DIR", summary: "the server that runs on this data folder" },
    json: { summary: "print JSON, for programs" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, () => showHealth(args, terminal)),
};

interface HealthReply {
  readonly ready: boolean;
  readonly reasons?: readonly string[];
  readonly position: number;
  readonly epoch: number | null;
  readonly rules: number | null;
  readonly journal: string;
  readonly nodes: number;
  readonly lag: { readonly entries: number };
}

async function showHealth(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const { url: urls, from } = serverOf(args, terminal);
  const exits: ExitCode[] = [];
  // One that does not answer must not hide how the others are.
  for (const url of urls.split(","))
    exits.push(await withFailureReport(args, terminal, () => showOne(args, terminal, { url, from })));
  return exits.find((exit) => exit !== exitCodes.done) ?? exitCodes.done;
}

async function showOne(
  args: CommandArguments,
  terminal: Terminal,
  { url, from }: { readonly url: string; readonly from: string },
): Promise<ExitCode> {
  const health = await askHealth(url, from);
  const { ready, reasons = [], position, epoch } = health;
  const state = ready ? terminal.paint.good("ready") : terminal.paint.bad("not ready");
  const lines = [
    `${url} is ${state}, at position ${position} (epoch ${epoch ?? "not known"}${clusterText(health)}).`,
    ...reasons.map((why) => `  ${escapeControlChars(why)}`),
  ];
  terminal.print(args.values["json"] === true ? jsonLine({ url, ...health }) : lines.join("\n"));
  return ready ? exitCodes.done : exitCodes.unavailable;
}

/** What there is to say about a node that is not the only one. */
function clusterText({ journal, nodes, lag, rules }: HealthReply): string {
  if (journal === "sqlite") return "";
  return `, one of ${nodes} nodes, ${lag.entries} entries behind, rules ${rules ?? "not known"}`;
}

async function askHealth(url: string, from: string): Promise<HealthReply> {
  try {
    const response = await fetch(`${url}/health`);
    return (await response.json()) as HealthReply;
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new UnreachableError(
      `no server answers at ${url}, found by ${from} (${reason}). Start one with \`holdfast up\`.`,
    );
  }
}

class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  readonly code = "unreachable";
}
