import { defined } from "@holdfast/sdk/base/defined";
import type { lockOperations } from "@holdfast/sdk/contract";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { pathFault } from "../tables/path-fault.ts";
import { operatorOnly } from "../../operator-only.ts";
import { refused } from "./owner.ts";
import { lockSettings } from "../tables/settings.ts";

/** Decisions read these settings, so an entry sets them: every node has the same values at the same position. */
export const configureLocks: Decide<(typeof lockOperations)["configure-locks"]> = (input, context) => {
  const forbidden = operatorOnly(context);
  if (forbidden !== undefined) return forbidden;
  const fault = input.enforce?.find((path) => pathFault(path) !== undefined);
  if (fault !== undefined) return refused("path_invalid", { path: fault, reason: pathFault(fault) ?? "" });
  const before = lockSettings(context.state);
  const isOn = input.lock_manager ?? before.isOn;
  const enforce = input.enforce ?? before.enforce;
  const data = defined({ lock_manager: isOn, enforce, kinds: input.kinds });
  return {
    outcome: done({ lock_manager: isOn, enforce }),
    events: [{ type: "locks.configured", subject: "locks", data }],
    attachment: {},
  };
};
