import { kindChecks } from "../../server/src/app/calls/kind-evidence.ts";
import type { Clock } from "../../server/src/base/clock.ts";
import type { CheckRunner } from "../../server/src/checks/check.ts";
import { ThreadedCheckRunner } from "../../server/src/checks/check-runner.ts";
import { openInlineRunner } from "../../server/src/checks/inline-runner.ts";
import type { KindChange, KindVerdict } from "../../server/src/checks/kind-change.ts";
import { kindWork } from "../../server/src/checks/kind-worker.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import { ticketKind } from "./simulated-machine.ts";
import type { World } from "./world.ts";

/** The check of a ticket: its count differs from the number of document `a`. Other callers change that document. */
export function checkTicket({ next, read }: KindChange): KindVerdict {
  if (next === undefined) return { ok: true };
  const { n } = (read("document", "a") ?? {}) as { readonly n?: number };
  return (next as { readonly count: number }).count === n ? { ok: false, errors: [{ n }] } : { ok: true };
}

/** Checks on the thread and the clock of a simulated process. */
export function simulatedChecks(engine: Engine, clock: Clock, world: World): CheckRunner {
  return new ThreadedCheckRunner({
    checks: kindChecks([ticketKind]),
    source: engine,
    clock,
    openPort: openInlineRunner({ clock, open: () => kindWork("tickets/1", checkTicket) }),
    observer: {
      onCheck: ({ result }) => {
        world.faults.count(`check: ${result}`);
      },
      onRounds: (_check, rounds) => {
        if (rounds > 1) world.faults.count("check is stale");
      },
    },
    report: () => undefined,
  });
}
