import { defineKind } from "holdfast";
import type { Client } from "holdfast";
import Type from "typebox";
import { allChecks } from "../../server/src/app/app-services.ts";
import type { AppServices } from "../../server/src/app/app-services.ts";
import { clientOf, servicesOf, startEngine } from "../../server/src/assembly/open.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import type { CheckObserver } from "../../server/src/checks/check.ts";
import type { CheckReport, OpenCheckPort } from "../../server/src/checks/check-port.ts";
import { ThreadedCheckRunner } from "../../server/src/checks/check-runner.ts";
import { openCheckThread } from "../../server/src/checks/check-thread.ts";
import { openInlineRunner } from "../../server/src/checks/inline-runner.ts";
import { kindWork } from "../../server/src/checks/kind-worker.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { check } from "./check-prices.ts";

/** An order whose price is checked against a limit, which is another entity. */
export const orderKind = defineKind({
  type: "order",
  value: Type.Object({ price: Type.Integer(), limit: Type.String() }),
  check: { name: "prices/1", module: new URL("./check-prices.ts", import.meta.url) },
  commands: {
    raise: {
      summary: "Raises the price.",
      input: { by: Type.Integer() },
      event: "raised",
      decide: (order, { by }) => ({ ...order, price: order.price + by }),
    },
  },
});

export interface CheckedNode extends AsyncDisposable {
  readonly client: Client;
  readonly engine: Engine;
  readonly services: AppServices;
  /** The runs of checks, with their results. */
  readonly runs: string[];
  /** The rounds of each decided command. */
  readonly rounds: number[];
  readonly reports: string[];
  /** Holds back results of checks. */
  readonly hold: HeldChecks;
}

/** Node with the toy check in a real thread, or on the thread of the test. */
export async function checkedNode(where: "thread" | "inline" = "inline"): Promise<CheckedNode> {
  const reports: string[] = [];
  const report = (message: string): void => {
    reports.push(message);
  };
  const engine = await startEngine({ journal: openMemoryJournal(createMemoryDisk()), kinds: [orderKind], report });
  const runs: string[] = [];
  const rounds: number[] = [];
  const observer: CheckObserver = {
    onCheck: ({ result }) => runs.push(result),
    onRounds: (_check, count) => rounds.push(count),
  };
  const inline = openInlineRunner({ clock: systemClock, open: () => kindWork("prices/1", check) });
  const hold = new HeldChecks(where === "thread" ? openCheckThread : inline);
  const checks = new ThreadedCheckRunner({
    checks: allChecks([orderKind]),
    source: engine,
    clock: systemClock,
    openPort: hold.open,
    observer,
    report,
  });
  const services = servicesOf(engine, { kinds: [orderKind], checks });
  const client = clientOf(services, { client: { retry: false } });
  return {
    ...{ client, engine, services, runs, rounds, reports, hold },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** A port that keeps the results of checks back while it holds. Everything else passes. */
export class HeldChecks {
  readonly open: OpenCheckPort;
  /** Ends the newest thread, as an error in it would. */
  breakThread: (error: Error) => void = () => undefined;
  #held: (() => void)[] | undefined;
  #arrived: (() => void)[] = [];

  constructor(inner: OpenCheckPort) {
    this.open = (on) => {
      this.breakThread = on.broken;
      return inner({
        ...on,
        report: (report) => {
          this.#pass(report, () => {
            on.report(report);
          });
        },
      });
    };
  }

  begin(): void {
    this.#held = [];
  }

  get heldCount(): number {
    return this.#held?.length ?? 0;
  }

  /** Resolves when so many results are held. */
  async arrival(count = 1): Promise<void> {
    while (this.heldCount < count) {
      await new Promise<void>((resolve) => {
        this.#arrived.push(resolve);
      });
    }
  }

  /** Lets the held results pass. Later ones are held again. */
  pass(): void {
    for (const pass of this.#held?.splice(0) ?? []) pass();
  }

  /** Lets the newest held result pass before the others. */
  passNewest(): void {
    this.#held?.pop()?.();
  }

  end(): void {
    this.pass();
    this.#held = undefined;
  }

  #pass(report: CheckReport, pass: () => void): void {
    if (report.kind !== "result" || this.#held === undefined) {
      pass();
      return;
    }
    this.#held.push(pass);
    for (const arrived of this.#arrived.splice(0)) arrived();
  }
}
