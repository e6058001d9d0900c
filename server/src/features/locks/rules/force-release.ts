import type { lockOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { freeGrant } from "../queue/free-grant.ts";
import { notHeld } from "../tables/find-held.ts";
import { grantTable } from "../tables/lock-tables.ts";
import type { GrantRow } from "../tables/lock-tables.ts";
import { operatorOnly } from "../../operator-only.ts";
import { refused } from "./owner.ts";
import { lockSettings } from "../tables/settings.ts";
import { breakReleaseDeadlocks } from "../queue/break-release-deadlocks.ts";

/** An operator frees exactly the grant that the fence names, so a later holder is not affected. */
export const forceRelease: Decide<(typeof lockOperations)["force-release"]> = (input, context) => {
  const row = operatorsGrant(input.fence, context);
  if ("outcome" in row) return row;
  const failed = recoveryFailures(row, context.time);
  if (row.graceMs !== undefined && failed.length > 0) {
    return { ...refused("not_recoverable", { fence: row.fence, failed }), isAudited: true };
  }
  return force(context, row, { reason: input.reason, override: false });
};

/** Bypasses the recovery conditions. It is a separate verb with a reason and a separate audit event. */
export const overrideRelease: Decide<(typeof lockOperations)["override-release"]> = (input, context) => {
  const row = operatorsGrant(input.fence, context);
  if ("outcome" in row) return row;
  return force(context, row, { reason: input.reason, override: true });
};

function operatorsGrant(fence: string, context: DecideContext): GrantRow | Decision {
  const forbidden = operatorOnly(context);
  if (forbidden !== undefined) return forbidden;
  if (!lockSettings(context.state).isOn) return refused("locks_off", { toggle: "component_toggles.lock_manager" });
  return context.state.rows(grantTable).get(fence) ?? notHeld(context.command.principal, { fence });
}

function force(context: DecideContext, row: GrantRow, why: { reason: string; override: boolean }): Decision {
  const more = { by: context.command.principal, why: why.reason, override: why.override };
  freeGrant(context, row, { type: "lock.forced", more });
  breakReleaseDeadlocks(context, row.owner, row.paths);
  return { outcome: done({ released: row.paths.map(({ path }) => path) }), events: [], attachment: {} };
}

/** The recovery conditions that do not hold. The fourth condition, the audit record, is the entry itself. */
function recoveryFailures(row: GrantRow, time: number): string[] {
  const failed: string[] = [];
  if (row.expiresAt > time) failed.push("lease_not_passed");
  if (row.heartbeatAt + (row.graceMs ?? 0) > time) failed.push("heartbeat_within_grace");
  if (row.job !== undefined) failed.push("claimed_by_active_job");
  return failed;
}
