import { type NameTable, writeName } from "./names.ts";
import type { Type } from "./types.ts";

/** A type as a module writes it: named types by name. */
export function printType(type: Type, { names, module }: { names: NameTable; module: string }): string {
  const part = (each: Type): string => printType(each, { names, module });
  switch (type.kind) {
    case "primitive":
      return type.name;
    case "named":
      return writeName(names, { kind: "type", from: module, id: type.id });
    case "list":
    case "option":
      return `${type.kind}<${part(type.item)}>`;
    case "array":
      return `[${part(type.item)}; ${type.length}]`;
    case "result":
      return `result<${part(type.ok)}, ${part(type.err)}>`;
  }
}
