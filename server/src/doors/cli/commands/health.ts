import { type CliCommand, type CommandArguments, type Terminal } from "../command.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { noteDefaultServer, serverOf } from "../discovery/server-of.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

export const healthCommand: CliCommand = {
  name: "health",
  positionalsMax: 0,
  summary: "check whether a server is ready",
  details: [
    "Shows whether a server runs and accepts writes and, if it does not, the reasons. The exit code is 0 only if the server",
    "is ready. With several nodes, separated by commas, it checks each node.",
    "",
    "  holdfast health",
    "  holdfast health --url http://10.0.0.5:4653 --json",
  ],
  options: {
    url: { value: "URL", summary: "the server (default: $HOLDFAST_URL, else the server of the nearest .holdfast)" },
    data: { value: "DIR", summary: "the server that runs on this data folder" },
    json: { summary: "print JSON" },
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
  const server = serverOf(args, terminal);
  noteDefaultServer(server, terminal);
  const { url: urls, from } = server;
  const exits: ExitCode[] = [];
  // A node that does not answer must not hide the state of the other nodes.
  for (const url of urls.split(","))
    exits.push(await withFailureReport(args, terminal, () => showNode(args, terminal, { url, from })));
  return exits.find((exit) => exit !== exitCodes.done) ?? exitCodes.done;
}

async function showNode(
  args: CommandArguments,
  terminal: Terminal,
  { url, from }: { readonly url: string; readonly from: string },
): Promise<ExitCode> {
  const health = await fetchHealth(url, from);
  const { ready, reasons = [], position, epoch } = health;
  const state = ready ? terminal.paint.good("ready") : terminal.paint.bad("not ready");
  const lines = [
    `${url} is ${state}, at position ${position} (epoch ${epoch ?? "unknown"}${clusterText(health)}).`,
    ...reasons.map((reason) => `  ${escapeControlChars(reason)}`),
  ];
  terminal.print(args.values["json"] === true ? jsonLine({ url, ...health }) : lines.join("\n"));
  return ready ? exitCodes.done : exitCodes.unavailable;
}

/** The additional state of a node with a shared journal. */
function clusterText({ journal, nodes, lag, rules }: HealthReply): string {
  if (journal === "sqlite") return "";
  return `, one of ${nodes} nodes, ${lag.entries} entries behind, rules ${rules ?? "unknown"}`;
}

async function fetchHealth(url: string, from: string): Promise<HealthReply> {
  try {
    const response = await fetch(`${url}/health`);
    return (await response.json()) as HealthReply;
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new UnreachableError(
      `no server answers at ${url}, from ${from} (${reason}). Start one with \`holdfast up\`.`,
    );
  }
}

class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  readonly code = "unreachable";
}
