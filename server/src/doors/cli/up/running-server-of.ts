import { request } from "node:http";
import { startHint } from "@holdfast/sdk/base/start-hint";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { findOperatorServer, findServer, findServerOn } from "@holdfast/sdk/find-server";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CommandArguments, Terminal } from "../command.ts";

/** A server that answers on the operator's socket of its data folder. */
interface AnsweringServer {
  readonly folder: string;
  readonly url: string;
  readonly pid: number;
  readonly health: Readonly<Record<string, unknown>>;
}

/**
 * The server of a data folder. It must answer on the operator's socket in that folder. The id in the address file alone
 * proves nothing: after a crash another program may have that id, and a signal would hit it.
 */
export async function runningServerOf({ values }: CommandArguments, terminal: Terminal): Promise<AnsweringServer> {
  const data = textOption(values, "data");
  const named = data === undefined ? undefined : { folder: data, from: "--data" };
  // A server of HOLDFAST_URL may run on another host.
  const here = { ...terminal, env: { ...terminal.env, HOLDFAST_URL: undefined } };
  const found = data === undefined ? findServer(here) : findServerOn(data, "--data", here);
  if (found?.folder === undefined || found.pid === undefined) {
    throw new UsageError("no data folder here or above: name one with --data");
  }
  const { folder, url, pid } = found;
  const socket = findOperatorServer(named, here)?.operatorSocket;
  const health = socket === undefined ? undefined : await healthOver(socket);
  if (health !== undefined) return { folder, url, pid, health };
  const reason = `the server on ${folder} does not answer on its operator's socket`;
  throw new HoldfastError("connect", "unreachable", { data: { folder, reason }, next: startHint(folder) });
}

function healthOver(socketPath: string): Promise<AnsweringServer["health"] | undefined> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: "/health", agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.once("end", () => resolve(parsed(text)));
    });
    asked.setTimeout(healthMs, () => asked.destroy());
    asked.once("error", () => resolve(undefined)).end();
  });
}

/** Maximum time until the server answers. */
const healthMs = 10_000;

function parsed(text: string): AnsweringServer["health"] | undefined {
  try {
    return JSON.parse(text) as AnsweringServer["health"];
  } catch {
    return undefined;
  }
}
