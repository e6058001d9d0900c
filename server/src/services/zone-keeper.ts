/**
 * Keeps the offsets of time zones that schedules use up to date. A newer release of the time zone database comes with a
 * newer Node. The machine has no such database, so this service sends what it finds.
 */
import type { Json } from "@holdfast/sdk/json/json";
import { zoneOffsets } from "../base/zone-offsets.ts";
import type { ServiceFactory } from "./service.ts";

/** A zone of the state. */
interface KnownZone {
  readonly zone: string;
  readonly version: string;
  readonly until: number;
}

/** Interval between comparisons. Offsets are known for years ahead. */
const compareEveryMs = 24 * 60 * 60 * 1000;

export function zoneKeeper(zonesInUse: () => Promise<readonly KnownZone[]>): ServiceFactory {
  return ({ clock, send, fail }) => {
    let cancel: () => void = () => undefined;
    let isStopped = true;
    const compare = async (): Promise<void> => {
      for (const { zone, version, until } of await zonesInUse()) {
        const found = zoneOffsets(zone, clock.wallMs());
        if (found === undefined || found.version < version) continue;
        if (found.version === version && found.until <= until) continue;
        const id = `jobs-zone:${zone}:${found.version}:${found.until}`;
        await send("jobs.set-zone", found as unknown as Json, id);
      }
      if (isStopped) return;
      cancel = clock.after(compareEveryMs, () => void compare().catch(fail), { keepAlive: false });
    };
    return {
      name: "zone-keeper",
      async start() {
        isStopped = false;
        await compare();
      },
      stop() {
        isStopped = true;
        cancel();
        return Promise.resolve();
      },
    };
  };
}
