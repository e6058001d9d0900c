import { kindChecks } from "../../server/src/app/calls/kind-evidence.ts";
import { programsCheck } from "../../server/src/app/packs/programs/check.ts";
import { programsWork } from "../../server/src/app/packs/programs/programs-worker.ts";
import type { Clock } from "../../server/src/base/clock.ts";
import type { CheckRunner } from "../../server/src/checks/check.ts";
import { ThreadedCheckRunner } from "../../server/src/checks/check-runner.ts";
import { openInlineRunner } from "../../server/src/checks/inline-runner.ts";
import type { KindChange, KindVerdict } from "../../server/src/checks/kind-change.ts";
import { kindWork } from "../../server/src/checks/kind-worker.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import { simulatedHash } from "./program-watch.ts";
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
    checks: [...kindChecks([ticketKind]), programsCheck],
    source: engine,
    clock,
    openPort: openInlineRunner({
      clock,
      open: ({ check }) =>
        check === programsCheck.name ? programsWork(simulatedHash) : kindWork("tickets/1", checkTicket),
    }),
    observer: {
      onCheck: ({ result }) => {
        world.faults.count(`check: ${result}`);
      },
      onRounds: (check, rounds) => {
        if (rounds > 1)
          world.faults.count(check === programsCheck.name ? "check of a program is stale" : "check is stale");
      },
    },
    report: () => undefined,
  });
}
