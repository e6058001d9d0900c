import Type from "typebox";
import type { EventType } from "../event-type.ts";
import type { NoticeType } from "../notice-type.ts";
import type { Operation } from "../operation.ts";
import type { Problem } from "../problem.ts";
import type { Resource } from "./resource.ts";

/** A system built on features: its resources, operations, events, notices and problems. */
export interface Pack {
  readonly name: string;
  readonly summary: string;
  readonly resources: readonly Resource[];
  /** The name of each starts with the name of the pack and a dot. */
  readonly operations: readonly Operation[];
  /** The event types of the pack. Each starts with the name of the pack or of one of its resources, and a dot. */
  readonly events: Readonly<Record<string, EventType>>;
  /** The notices of the pack, by word. Each word starts as an event type does. */
  readonly notices?: Readonly<Record<string, NoticeType>>;
  /** The pack's own problem codes. Each code starts with the name of the pack and a dot. */
  readonly problems: Readonly<Record<string, Problem>>;
  /** The components without which the pack is off: `lock_manager`, or the name of another pack. */
  readonly needs?: readonly string[];
}

/** A pack whose names begin as they must. Otherwise two packs could take the same name. */
export function definePack(definition: Pack): Pack {
  const { name, resources, operations, events, notices = {} } = definition;
  const problems = { [`${name}.off`]: offProblem(name), ...definition.problems };
  const foreign = resources.find(({ pack }) => pack !== name);
  if (foreign !== undefined)
    throw new Error(`the resource ${foreign.name} names the pack ${foreign.pack}, not ${name}`);
  requireStart([name], [...operations.map((operation) => operation.name), ...Object.keys(problems)]);
  requireStart(
    [name, ...resources.map((resource) => resource.name)],
    [...Object.keys(events), ...Object.keys(notices)],
  );
  return { ...definition, problems };
}

function requireStart(starts: readonly string[], names: readonly string[]): void {
  const other = names.find((name) => !starts.some((start) => name.startsWith(`${start}.`)));
  if (other === undefined) return;
  throw new Error(`the pack ${String(starts[0])} declares ${other}: its name must start with ${starts.join(". or ")}.`);
}

/** Every operation of a pack that is switched off is refused with it. */
function offProblem(pack: string): Problem {
  return {
    status: 409,
    retry: "never",
    title: `The pack ${pack} is switched off`,
    next: `An operator can switch on the component that \`toggle\` names, with configure or configure-locks.`,
    data: Type.Object({ toggle: Type.String() }, { additionalProperties: true }),
  };
}
