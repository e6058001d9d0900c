/** A machine alone, to measure the cost of deciding without any other cost that could hide a curve. */
import { defined } from "@holdfast/sdk/base/defined";
import { machineOf } from "../server/src/assembly/open.ts";

export function machineRunner() {
  const machine = machineOf([]);
  let position = 0;
  const run = (operation: string, input: Record<string, unknown>, agent?: string) => {
    position += 1;
    const place = { position, time: 1_000_000 + position, grace: false, prior: undefined };
    const begin = performance.now();
    const decided = machine.decide(
      {
        id: `c${position}`,
        operation,
        principal: "p",
        input: input as never,
        ...defined({ agent }),
      },
      place,
    );
    machine.settle();
    const us = (performance.now() - begin) * 1_000;
    if (decided.defect !== undefined) throw decided.defect as Error;
    return { ...decided, us };
  };
  // A million locks or entities of one principal are more than the defaults allow.
  const settings = { state_bytes_max: Number.MAX_SAFE_INTEGER, paths_per_principal_max: Number.MAX_SAFE_INTEGER };
  run("configure", { settings });
  return run;
}
