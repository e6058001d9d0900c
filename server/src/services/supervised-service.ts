import { backoffMs } from "@holdfast/sdk/base/backoff-ms";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { EngineServices } from "../app/engine-services.ts";
import { systemPrincipal } from "../engine/timer-watch.ts";
import type { Service, ServiceFactory } from "./service.ts";

const serviceLimits = {
  /** Maximum time that a start of the server waits for the start of a service, and a stop for its stop. */
  waitMs: 5_000,
  /** The first and the longest delay before a failed service is started again. */
  backoff: { baseMs: 1_000, capMs: 60_000 },
} as const;

export interface SupervisorParts {
  readonly services: EngineServices;
  readonly report: (message: string, cause: unknown) => void;
}

/** The status of a service, as `/health` shows it. */
export interface ServiceStatus {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  /** Number of restarts after a failure. */
  readonly restarts: number;
  readonly details?: JsonObject;
}

/** One service and its restarts. A failure is reported, never thrown: no service stops the server. */
export class SupervisedService {
  readonly #parts: SupervisorParts;
  readonly #service: Service;
  #state: "stopped" | "starting" | "running" | "failed" | "stopping" = "stopped";
  #reason = "not started";
  #restarts = 0;
  /** Failures since the service last ran longer than the longest delay. */
  #failures = 0;
  #startedAtMs = 0;
  #cancelRestart: () => void = () => undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(factory: ServiceFactory, parts: SupervisorParts) {
    this.#parts = parts;
    const { services, report } = parts;
    const { engine, clock, ids } = services;
    const caller = systemPrincipal;
    this.#service = factory({
      ...{ services, clock, ids, report },
      send: (operation, input, id) =>
        engine.execute({ operation, input, key: id, principal: caller, caller, bytes: 0 }),
      fail: (cause) => {
        if (this.#state === "running" || this.#state === "starting") this.#failed(cause);
      },
    });
  }

  get name(): string {
    return this.#service.name;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Resolves after the first attempt, or when that takes too long. */
  start(): Promise<void> {
    return this.#within(this.#begin());
  }

  stop(): Promise<void> {
    this.#cancelRestart();
    this.#state = "stopping";
    return this.#within(this.#working.then(() => this.#end()));
  }

  status(): ServiceStatus {
    const ready = this.#state === "running";
    const status = { ready, reasons: ready ? [] : [this.#reason], restarts: this.#restarts };
    try {
      const details = this.#service.health?.();
      return details === undefined ? status : { ...status, details };
    } catch (error) {
      return { ...status, reasons: [...status.reasons, `its details are unavailable: ${textOf(error)}`] };
    }
  }

  #begin(): Promise<void> {
    this.#state = "starting";
    // In a promise, because a start may also throw at once.
    this.#working = new Promise<void>((resolve) => {
      resolve(this.#service.start());
    }).then(
      () => {
        if (this.#state !== "starting") return;
        this.#state = "running";
        this.#startedAtMs = this.#parts.services.clock.monotonicMs();
      },
      (error: unknown) => {
        if (this.#state === "starting") this.#failed(error);
      },
    );
    return this.#working;
  }

  #failed(cause: unknown): void {
    const { clock } = this.#parts.services;
    const { backoff } = serviceLimits;
    const hasRunLong = this.#state === "running" && clock.monotonicMs() - this.#startedAtMs > backoff.capMs;
    this.#failures = hasRunLong ? 1 : this.#failures + 1;
    this.#state = "failed";
    this.#reason = textOf(cause);
    const delayMs = backoffMs(backoff, this.#failures);
    const seconds = String(delayMs / 1000);
    this.#parts.report(`the service ${this.name} failed and is started again in ${seconds} s`, cause);
    const stopped = this.#end();
    this.#working = stopped;
    this.#cancelRestart = clock.after(delayMs, () => void stopped.then(() => this.#restart()), { keepAlive: false });
  }

  #restart(): void {
    if (this.#state !== "failed") return;
    this.#restarts += 1;
    void this.#begin();
  }

  #end(): Promise<void> {
    return new Promise<void>((resolve) => {
      resolve(this.#service.stop());
    }).catch((error: unknown) => {
      this.#parts.report(`the service ${this.name} could not be stopped`, error);
    });
  }

  /** A service that hangs delays neither the start nor the stop of the server. */
  #within(work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const late = (): void => {
        this.#parts.report(`the service ${this.name} does not answer; the server continues without it`, undefined);
        resolve();
      };
      const cancel = this.#parts.services.clock.after(serviceLimits.waitMs, late, { keepAlive: true });
      void work.finally(cancel).then(resolve);
    });
  }
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
