import type { lockOperations } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { done } from "../../../machine/outcome.ts";
import type { Decide } from "../../rule-of.ts";
import type { LockKind } from "../tables/lock-kinds.ts";
import { pathFault } from "../tables/lock-path.ts";
import { operatorOnly, refused } from "./owner.ts";
import { lockSettings } from "../tables/settings.ts";

/** Decisions read these settings, so they are set by an entry: every node has the same ones at the same position. */
export const configureLocks: Decide<(typeof lockOperations)["configure-locks"]> = (input, context) => {
  const forbidden = operatorOnly(context);
  if (forbidden !== undefined) return forbidden;
  const fault = input.enforce?.find((path) => pathFault(path) !== undefined);
  if (fault !== undefined) return refused("path_invalid", { path: fault, reason: pathFault(fault) ?? "" });
  const before = lockSettings(context.state);
  const isOn = input.lock_manager ?? before.isOn;
  const enforce = input.enforce ?? before.enforce;
  const kinds = input.kinds === undefined ? before.kinds : byShape(input.kinds);
  const data = { isOn, enforce, ...(kinds === undefined ? {} : { kinds: kinds as unknown as JsonObject }) };
  return {
    outcome: done({ lock_manager: isOn, enforce }),
    events: [{ type: "locks.configured", subject: "locks", data }],
    attachment: {},
  };
};

interface KindInput {
  readonly shape: string;
  readonly policy: "expire" | "recover";
  readonly ttl_seconds?: number;
  readonly ttl_min_seconds?: number;
  readonly ttl_max_seconds?: number;
  readonly grace_seconds?: number;
  readonly order?: number;
}

function byShape(kinds: Readonly<Record<string, KindInput>>): Readonly<Record<string, LockKind>> {
  const ms = (name: string, seconds: number | undefined) => (seconds === undefined ? {} : { [name]: seconds * 1000 });
  return Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      kind.shape,
      {
        name,
        shape: kind.shape,
        policy: kind.policy,
        ...ms("ttlMs", kind.ttl_seconds),
        ...ms("ttlMinMs", kind.ttl_min_seconds),
        ...ms("ttlMaxMs", kind.ttl_max_seconds),
        ...ms("graceMs", kind.grace_seconds),
        ...(kind.order === undefined ? {} : { order: kind.order }),
      },
    ]),
  );
}
