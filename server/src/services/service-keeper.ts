import type { ServiceFactory } from "./service.ts";
import { SupervisedService } from "./supervised-service.ts";
import type { ServiceStatus, SupervisorParts } from "./supervised-service.ts";

/** Starts, restarts and stops the services of a node. */
export class ServiceKeeper {
  readonly #services: readonly SupervisedService[];

  constructor(factories: readonly ServiceFactory[], parts: SupervisorParts) {
    this.#services = factories.map((factory) => new SupervisedService(factory, parts));
  }

  /** Resolves when each service runs, or has failed and waits for its restart. */
  async start(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.start()));
  }

  /** Stops them in the reverse order, before the engine stops. */
  async stop(): Promise<void> {
    for (const service of this.#services.toReversed()) await service.stop();
  }

  status(): Readonly<Record<string, ServiceStatus>> {
    return Object.fromEntries(this.#services.map((service) => [service.name, service.status()]));
  }
}
