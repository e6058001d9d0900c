import type { Condition } from "./node.ts";
import type { Type } from "./types.ts";

/** A struct or an enum. In invariants the fields are parameters with the ids 1, 2, 3 and so on. */
export interface TypeDefinition {
  readonly id: string;
  readonly name: string;
  readonly module: string;
  readonly public: boolean;
  readonly sort: "struct" | "enum";
  readonly members: readonly TypeMember[];
  readonly invariants: readonly Condition[];
}

/** A field, or a variant, whose type is null if it has no payload. */
export interface TypeMember {
  readonly name: string;
  readonly type: Type | null;
}

export function memberOf(definition: TypeDefinition, name: string): TypeMember | undefined {
  return definition.members.find((member) => member.name === name);
}
