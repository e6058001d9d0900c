import type { ProgramScope } from "../program-scope.ts";

/** The ids of functions and types. */
export interface ItemIds {
  readonly functions: readonly string[];
  readonly types: readonly string[];
}

/**
 * Everything whose verdict a change can alter: the changed items, their transitive callers, and users of changed types.
 * A type counts as changed if its invariants call a changed function. Breadth first, changed items first.
 */
export function affectedItems(scope: ProgramScope, changed: ItemIds): ItemIds {
  const functions = new Set(changed.functions);
  const types = new Set(changed.types);
  // Sets grow while they are read: an item that is added is visited later.
  const spreadTypes = (): void => {
    for (const id of types) {
      for (const user of scope.usersOf(id)) functions.add(user);
      for (const container of scope.containersOf(id)) types.add(container);
    }
  };
  spreadTypes();
  for (const id of functions) {
    for (const caller of scope.callersOf(id)) functions.add(caller);
    for (const type of scope.typesCalling(id)) types.add(type);
    spreadTypes();
  }
  return {
    functions: [...functions].filter((id) => scope.function(id) !== undefined),
    types: [...types].filter((id) => scope.type(id) !== undefined),
  };
}
