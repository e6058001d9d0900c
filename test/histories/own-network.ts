/** A network of its own for a server, with one link to its clients that can be cut. Needs root. */
import type { DeploymentFault } from "./deployment.ts";
import { pauseFor } from "./pause.ts";
import { spawnChildSync } from "../scenario/spawn-child.ts";

export interface OwnNetwork {
  /** The address of the server, and the address of the clients and their servers. */
  readonly host: string;
  readonly outside: string;
  /** The arguments before a command that must run inside the network. */
  readonly prefix: readonly string[];
  readonly faults: readonly DeploymentFault[];
  readonly notThere: readonly string[];
  remove(): void;
}

let made = 0;

export function ownNetwork(): OwnNetwork {
  made += 1;
  const number = (process.pid * 16 + made) % 65_536;
  const [space, near, far] = [`hf-${number}`, `hf${number}a`, `hf${number}b`] as const;
  const subnet = `10.${200 + (number >> 14)}.${(number >> 6) & 255}`;
  const [outside, host] = [((number & 63) << 2) + 1, ((number & 63) << 2) + 2].map((last) => `${subnet}.${last}`) as [
    string,
    string,
  ];
  const steps = [
    ["netns", "add", space],
    ["link", "add", near, "type", "veth", "peer", "name", far, "netns", space],
    ["addr", "add", `${outside}/30`, "dev", near],
    ["link", "set", near, "up"],
    ["-n", space, "addr", "add", `${host}/30`, "dev", far],
    ["-n", space, "link", "set", far, "up"],
    ["-n", space, "link", "set", "lo", "up"],
  ];
  const failure = steps.map(ip).find((message) => message !== undefined);
  if (failure !== undefined) {
    ip(["netns", "delete", space]);
    const why = `a partition: no network of its own can be made (${failure}; it needs root and the package iproute2)`;
    const here = { host: "127.0.0.1", outside: "127.0.0.1", prefix: [], faults: [], notThere: [why] };
    return { ...here, remove: () => undefined };
  }
  return {
    ...{ host, outside, prefix: ["ip", "netns", "exec", space], notThere: [] },
    faults: [
      partition("pulled cable", ["link", "set", near, "down"], ["link", "set", near, "up"]),
      // Requests arrive and are executed, and the answers are lost.
      partition(
        "lost answers",
        ["-n", space, ...blackhole("add", outside)],
        ["-n", space, ...blackhole("del", outside)],
      ),
    ],
    remove: () => void ip(["netns", "delete", space]),
  };
}

const blackhole = (verb: string, address: string): readonly string[] => ["route", verb, "blackhole", `${address}/32`];

/** The error, if there was one. */
function ip(args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnChildSync("ip", args);
  return status === 0 ? undefined : (error?.message ?? String(stderr).trim());
}

function partition(name: string, cut: readonly string[], repair: readonly string[]): DeploymentFault {
  return {
    name,
    async inject(chance) {
      must(cut);
      await pauseFor(100 + chance() * 1_500);
      must(repair);
    },
  };
}

function must(args: readonly string[]): void {
  const failure = ip(args);
  if (failure !== undefined) throw new Error(`ip ${args.join(" ")}: ${failure}`);
}
