import { lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Maximum bytes of the file: five digits and a line end. */
const bytesMax = 6;

/** The port on which the server of a data folder listened last. */
export const lastPort = { read: readLastPort, write: writeLastPort } as const;

/** Undefined if no server noted a port, or if the file is not one that a server wrote. */
function readLastPort(folder: string): number | undefined {
  const file = join(folder, "port");
  try {
    const status = lstatSync(file);
    if (!status.isFile() || status.size > bytesMax) return undefined;
    const port = Number(readFileSync(file, "utf8"));
    return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : undefined;
  } catch {
    return undefined;
  }
}

/** A server that cannot note its port still serves: the disk may be full. */
function writeLastPort(folder: string, port: number): void {
  const file = join(folder, "port");
  if (readLastPort(folder) === port) return;
  try {
    rmSync(file, { force: true });
    writeFileSync(file, `${port}\n`, { mode: 0o600 });
  } catch {
    // The next start takes the default port or a free one.
  }
}
