import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { CounterFamily } from "./counter-family.ts";

/** The status of each service by its name, read when the metrics are scraped. */
export type ServiceSample = Readonly<Record<string, ServiceFigures>>;

interface ServiceFigures {
  readonly ready: boolean;
  readonly restarts: number;
  /** The details of `/health`. */
  readonly details?: { readonly lag?: unknown };
}

export class ServiceMetrics {
  readonly #up: Gauge<"service">;
  readonly #restarts: CounterFamily<"service">;
  readonly #auditLag: Gauge;

  constructor(registry: Registry) {
    this.#up = new Gauge({
      name: "holdfast_service_up",
      help: "1 while a service runs, 0 while it waits for its restart.",
      labelNames: ["service"],
      registers: [registry],
    });
    this.#restarts = new CounterFamily(registry, {
      name: "holdfast_service_restarts_total",
      help: "Restarts of a service after a failure.",
      labels: ["service"],
    });
    this.#auditLag = new Gauge({
      name: "holdfast_audit_file_lag_entries",
      help: "Entries by which the audit file is behind the journal; 0 without an audit file.",
      registers: [registry],
    });
  }

  set(sample: ServiceSample): void {
    for (const [service, { ready, restarts }] of Object.entries(sample)) {
      this.#up.set({ service }, Number(ready));
      this.#restarts.series({ service }).count = restarts;
    }
    const lag = sample["audit-file"]?.details?.lag;
    this.#auditLag.set(typeof lag === "number" ? lag : 0);
  }
}
