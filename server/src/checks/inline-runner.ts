import type { Json } from "@holdfast/sdk/json/json";
import type { Clock } from "../base/clock.ts";
import type { CheckSteps } from "./check.ts";
import type { OpenCheckPort } from "./check-port.ts";
import { CheckWorkLoop } from "./check-work-loop.ts";
import type { CheckWorkLoopOptions } from "./check-work-loop.ts";

/** The same work on the same thread, for tests and the simulation. Messages are copied, as between two threads. */
export function openInlineRunner({ clock, open }: Pick<CheckWorkLoopOptions, "clock" | "open">): OpenCheckPort {
  return (on) => {
    const reports = inOrder(clock, on.report);
    const loop = new CheckWorkLoop({ clock, open, report: reports.send });
    const orders = inOrder(clock, (order: Parameters<typeof loop.take>[0]) => {
      loop.take(order);
    });
    return {
      post: orders.send,
      usedMs: () => Promise.resolve(clock.monotonicMs()),
      close() {
        orders.end();
        reports.end();
        return Promise.resolve();
      },
    };
  };
}

/** Delivers copies of messages later, in the order in which they were sent. */
function inOrder<Message>(
  clock: Clock,
  deliver: (message: Message) => void,
): { readonly send: (message: Message) => void; readonly end: () => void } {
  const messages: Message[] = [];
  let isOver = false;
  return {
    send(message) {
      messages.push(structuredClone(message));
      clock.soon(() => {
        const next = messages.shift();
        if (!isOver && next !== undefined) deliver(next);
      });
    },
    end() {
      isOver = true;
    },
  };
}

/** Runs work to its end at once. `load` gives it the rows of a unit. */
export function runInline(steps: CheckSteps, load: (unit: string) => void): Json {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value !== undefined) load(step.value);
  }
}
