/** The options that `open`, `serve` and `createRuntime` share. */
import type { ClientOptions } from "@holdfast/sdk";
import type { Kind } from "../features/entities/kind.ts";

export interface HoldfastOptions {
  /** Entity types with their own schema, rules and commands. */
  readonly kinds?: readonly Kind[];
  /** The principal of the client in this process, recorded in every entry that it writes; `local` by default. */
  readonly principal?: string;
  readonly component_toggles?: ComponentToggles;
  /**
   * The folders of the storage roots, by name. Without it, a journal in a folder has the root `main` in its folder
   * `files`, and any other journal has none.
   */
  readonly storageRoots?: Readonly<Record<string, string>>;
  /** Accepts storage roots on file systems of the network, such as NFS, and of users' programs (FUSE). Off by default. */
  readonly allowNetworkRoot?: boolean;
  /** The registration of the client's agent, and the retries of the client. */
  readonly client?: Pick<ClientOptions, "name" | "purpose" | "parent" | "retry">;
  /** Receives reports for an operator, such as a failing journal. Standard error by default. */
  readonly report?: (message: string, cause: unknown) => void;
}

/**
 * Components that can be switched on and off. The switches are entries, so all nodes of a journal have the same ones.
 * An absent component keeps its switch. A kind that needs a component does not start while the component is off.
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
