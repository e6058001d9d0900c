import { serve } from "../../../assembly/serve.ts";
import type { RunningServer, ServeOptions } from "../../../assembly/serve.ts";
import type { ResolvedConfig } from "../../../config/read-config.ts";
import { lastPort } from "./last-port.ts";

/**
 * The ports to try, in order. The user may need exactly the port that they chose, so there is no other one then. Otherwise the
 * last port of the folder comes first: workers that still run reconnect to the address that they know.
 */
export function portsOf({ config, sources }: ResolvedConfig): readonly [number, ...number[]] {
  if (sources.port !== "default") return [config.port];
  const last = lastPort.read(config.data);
  return last === undefined || last === config.port ? [config.port, 0] : [last, config.port, 0];
}

/** Starts a server on the first port on which no other process listens. Port 0 is any free port. */
export async function serveOnFreePort(
  options: ServeOptions,
  [port, ...others]: readonly [number, ...number[]],
): Promise<RunningServer> {
  try {
    return await serve({ ...options, port });
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return serveOnFreePort(options, [next, ...rest]);
  }
}
