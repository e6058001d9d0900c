import type { Subscription } from "../../server/src/engine/subscription.ts";
import type { ServiceFactory } from "../../server/src/services/service.ts";
import { unreportedLeaseTable } from "./lease-feature.ts";
import type { World } from "./world.ts";

/**
 * A service on every node that reports each expired lease once. All nodes send the same command for a lease. Its rule
 * checks nothing, so only the id of the command prevents a second entry.
 */
export function leaseReporter(world: World): ServiceFactory {
  return ({ services: { engine }, send, fail }) => {
    let subscription: Subscription | undefined;
    const reportAll = async (): Promise<void> => {
      const leases = await engine.scan((state) => state.rows(unreportedLeaseTable).scan("fence", { limit: Infinity }));
      for (const { fence } of leases) {
        const { outcome } = await send("report-lease", { fence }, `report-lease:${fence}`);
        if (outcome.kind === "refusal" && outcome.code !== "idempotency_key_expired") throw new Error(outcome.code);
      }
    };
    const follow = async (entries: Subscription): Promise<void> => {
      await reportAll();
      for await (const page of entries) {
        if (world.occurs("service fails")) throw new Error("the fault of the simulation");
        if (page.some(({ events }) => events.some(({ type }) => type === "lease.expired"))) await reportAll();
      }
    };
    return {
      name: "lease-reporter",
      start() {
        subscription = engine.subscribe(engine.head.position);
        follow(subscription).catch(fail);
        return Promise.resolve();
      },
      async stop() {
        await subscription?.return();
      },
    };
  };
}
