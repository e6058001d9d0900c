/** Maps the second and third token of a subject to an operation of the contract. */
import {
  lockWord,
  meshEntityWords,
  meshLockWords,
  operationWord,
  packs,
  publicOperations,
  resourceOfOperation,
} from "@holdfast/sdk/contract";

/**
 * `named`: the payload is the input. `entity`: the type is added, and `entity_id` is the id. `typed`: a command of a kind
 * or a pack, which has a fixed type. `lock`: a lock action with its own payload format.
 */
export type SubjectAction =
  | { readonly shape: "named"; readonly operation: string }
  | { readonly shape: "typed"; readonly operation: string }
  | { readonly shape: "entity"; readonly operation: string; readonly type: string; readonly isPut: boolean }
  | { readonly shape: "lock"; readonly operation: string };

/** `ticket.close` is the operation `close-ticket` of the kind `ticket`, `planning-mission.list` is `list-missions`. */
export class SubjectActions {
  readonly #named: ReadonlySet<string>;
  /** Operations by type and action. */
  readonly #typed: ReadonlyMap<string, string>;

  constructor(kindCommands: ReadonlyMap<string, string>) {
    const ofPacks = packs.flatMap(({ operations }) => Object.keys(operations));
    this.#named = new Set([...publicOperations.map(({ name }) => name), ...ofPacks, ...kindCommands.keys()]);
    this.#typed = new Map([...typedByKinds(kindCommands), ...typedByPacks()]);
  }

  /** All known pairs of tokens for one type of entity, for documents and tests. */
  all(type: string): readonly (readonly [entity: string, action: string])[] {
    const own = [...this.#typed.keys()].map((pair) => pair.split(" ") as [string, string]);
    return [
      ...[...this.#named].map((name) => [operationWord, name] as const),
      ...Object.keys(meshLockWords).map((action) => [lockWord, action] as const),
      ...Object.keys(meshEntityWords).map((action) => [type, action] as const),
      ...own,
    ];
  }

  find(entity: string, action: string): SubjectAction | undefined {
    // The engine refuses an unknown operation, as at every door.
    if (entity === operationWord) return { shape: "named", operation: action };
    if (entity === lockWord) {
      const lock = Object.hasOwn(meshLockWords, action) ? meshLockWords[action] : undefined;
      return lock === undefined ? undefined : { shape: "lock", operation: lock.operation };
    }
    const own = this.#typed.get(`${entity} ${action}`);
    if (own !== undefined) return { shape: "typed", operation: own };
    const operation = Object.hasOwn(meshEntityWords, action) ? meshEntityWords[action] : undefined;
    return operation === undefined ? undefined : { shape: "entity", operation, type: entity, isPut: action === "put" };
  }
}

function typedByKinds(kindCommands: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...kindCommands].map(([name, type]) => [`${type} ${name.slice(0, -`-${type}`.length)}`, name] as const);
}

function typedByPacks(): readonly (readonly [string, string])[] {
  return packs.flatMap((pack) =>
    Object.keys(pack.operations).flatMap((name) => {
      const resource = resourceOfOperation(pack, name);
      return resource === undefined ? [] : [[`${resource.type} ${name.slice(0, name.indexOf("-"))}`, name] as const];
    }),
  );
}
