/** The options that `open`, `serve` and `createRuntime` share. */
import type { ClientOptions } from "@holdfast/sdk";
import type { Kind } from "../features/entities/kind.ts";

export interface HoldfastOptions {
  /** Types of entities with a schema, rules and commands of their own. */
  readonly kinds?: readonly Kind[];
  /** The principal of the client in this process, recorded in every entry that it writes. `local` if not given. */
  readonly principal?: string;
  readonly component_toggles?: ComponentToggles;
  /** How the client introduces itself when it takes locks, and what it retries. */
  readonly client?: Pick<ClientOptions, "name" | "purpose" | "parent" | "retry">;
  /** Receives what an operator should know, such as a journal that cannot be written. Standard error if not given. */
  readonly report?: (message: string, cause: unknown) => void;
}

/**
 * Components that can be switched on and off. The switches are entries, so all nodes of a journal have the same ones. A
 * component that is not named here keeps its switch. What needs a component that is off does not start.
 */
export interface ComponentToggles {
  /** On in a new journal; with `createRuntime` off, because coordination by versions needs no locks. */
  readonly lock_manager?: boolean;
  /** Packs, by name. On in a new journal. */
  readonly [pack: string]: boolean | undefined;
}

export function reportToStandardError(message: string, cause: unknown): void {
  console.error(`holdfast: ${message}`, cause === undefined ? "" : cause);
}
