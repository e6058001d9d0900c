/** Maps the second and third token of a subject to an operation of the contract. */
import { lockWord, meshEntityWords, meshLockWords, operationWord, packs } from "@holdfast/sdk/contract";
import type { OperationRegistry } from "../../operations/registry.ts";

/**
 * The payload of a `named` action is the input. That of an `entity` gets the type, and `entity_id` is the id. A `typed`
 * action is a command of a kind or a pack, which has a fixed type. A `lock` action has its own payload format.
 */
export type SubjectAction =
  | { readonly shape: "named"; readonly operation: string }
  | { readonly shape: "typed"; readonly operation: string }
  | { readonly shape: "entity"; readonly operation: string; readonly type: string; readonly isPut: boolean }
  | { readonly shape: "lock"; readonly operation: string };

/**
 * `ticket.close` is the operation `close-ticket` of the kind `ticket`. `planning.create-mission` is an operation of the
 * pack `planning`, so an entity type with the name of a pack has no words here.
 */
export class SubjectActions {
  readonly #operations: OperationRegistry;
  /** The commands of kinds by type and action. */
  readonly #typed: ReadonlyMap<string, string>;

  constructor(operations: OperationRegistry, kindCommands: ReadonlyMap<string, string>) {
    this.#operations = operations;
    this.#typed = new Map(
      [...kindCommands].map(([name, type]) => [`${type} ${name.slice(0, -`-${type}`.length)}`, name] as const),
    );
  }

  /** All known pairs of tokens for one type of entity, for documents and tests. */
  all(type: string): readonly (readonly [entity: string, action: string])[] {
    const named = this.#operations.all.map(({ name, pack }) =>
      pack === undefined ? ([operationWord, name] as const) : ([pack.name, name.slice(pack.name.length + 1)] as const),
    );
    return [
      ...named,
      ...Object.keys(meshLockWords).map((action) => [lockWord, action] as const),
      ...Object.keys(meshEntityWords).map((action) => [type, action] as const),
      ...[...this.#typed.keys()].map((pair) => pair.split(" ") as [string, string]),
    ];
  }

  find(entity: string, action: string): SubjectAction | undefined {
    // An unknown operation is refused behind the gate, as at every door.
    if (entity === operationWord) return { shape: "named", operation: action };
    if (entity === lockWord) {
      const lock = Object.hasOwn(meshLockWords, action) ? meshLockWords[action] : undefined;
      return lock === undefined ? undefined : { shape: "lock", operation: lock.operation };
    }
    if (packNames.has(entity)) return { shape: "typed", operation: `${entity}.${action}` };
    const own = this.#typed.get(`${entity} ${action}`);
    if (own !== undefined) return { shape: "typed", operation: own };
    const operation = Object.hasOwn(meshEntityWords, action) ? meshEntityWords[action] : undefined;
    return operation === undefined ? undefined : { shape: "entity", operation, type: entity, isPut: action === "put" };
  }
}

const packNames = new Set(packs.map(({ name }) => name));
