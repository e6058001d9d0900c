/** The storage roots of this node, as operations use them. Each is opened at its first use, or at the start. */
import type { StorageRoot } from "./storage-root.ts";

/** A service that has a root. */
interface RootKeeper {
  readonly open: () => Promise<StorageRoot>;
  /** There may be folders to remove. */
  readonly onGarbage: () => void;
}

interface AttachedRoot extends RootKeeper {
  opening?: Promise<StorageRoot> | undefined;
  opened?: StorageRoot;
}

export class Storage {
  readonly #attached = new Map<string, AttachedRoot>();

  /** The service of a root attaches itself, again with each start and at its stop. Without it, this node lacks the root. */
  attach(name: string, keeper: RootKeeper): void {
    this.#attached.set(name, { ...keeper });
  }

  /** Resolves when a root of this node is open and announced, or all of them. After a failure the next call tries again. */
  async ready(name?: string): Promise<void> {
    const all = [...this.#attached].filter(([each]) => name === undefined || each === name);
    await Promise.all(all.map(([, root]) => openOnce(root)));
  }

  /** Undefined if this node does not have it. */
  root(name: string): StorageRoot | undefined {
    return this.#attached.get(name)?.opened;
  }

  /** True if this node has the root, or is about to have it: a root is announced before its disk is recovered. */
  has(name: string): boolean {
    const found = this.#attached.get(name);
    return found?.opened !== undefined || found?.opening !== undefined;
  }

  get roots(): readonly StorageRoot[] {
    return [...this.#attached.values()].flatMap(({ opened }) => opened ?? []);
  }

  /** There may be folders to remove. */
  noteGarbage(): void {
    for (const { onGarbage } of this.#attached.values()) onGarbage();
  }
}

async function openOnce(root: AttachedRoot): Promise<void> {
  root.opening ??= root.open();
  try {
    root.opened = await root.opening;
  } catch (error) {
    root.opening = undefined;
    throw error;
  }
}
