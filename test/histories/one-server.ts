/** One server on its embedded journal. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../scenario/free-port.ts";
import { wallClockShim } from "./clock-shim.ts";
import type { Deployment, DeploymentFault } from "./deployment.ts";
import { ownNetwork } from "./own-network.ts";
import { smallDisk } from "./small-disk.ts";
import { pauseFor } from "./pause.ts";
import { ServerProcess } from "./server-process.ts";

export async function oneServer(): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-history-"));
  const disk = await smallDisk(join(folder, "disk"));
  const shim = await wallClockShim(folder);
  const network = ownNetwork();
  const port = String(await freePort());
  const operatorToken = randomBytes(24).toString("hex");
  const server = new ServerProcess({
    words: ["--data", join(disk.folder, "data"), "--host", network.host, "--port", port],
    prefix: network.prefix,
    env: { HOLDFAST_OPERATOR_TOKEN: operatorToken, ...shim.env },
  });
  await server.start();
  return {
    name: "one server",
    urls: [`http://${network.host}:${port}`],
    // A server on another address than loopback requires tokens of all clients.
    token: operatorToken,
    operatorToken,
    faults: [kill(server), pause(server), ...network.faults, ...shim.faults, ...disk.faults],
    unsupported: [...network.notThere, ...shim.notThere, ...disk.notThere],
    log: () => server.log(),
    async close() {
      await server.stop();
      network.remove();
      await disk.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function kill(server: ServerProcess): DeploymentFault {
  return {
    name: "kill -9",
    async inject() {
      await server.kill();
      await server.start();
    },
  };
}

/** Shorter or longer than the leases of the clients. */
export function pause(server: ServerProcess): DeploymentFault {
  return {
    name: "pause past the lease",
    async inject(chance) {
      server.pause();
      await pauseFor(200 + chance() * 2_000);
      server.goOn();
    },
  };
}
