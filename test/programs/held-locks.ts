/** The locks that agents hold in a run. Rules of locks have a model of their own, so the answers of the machine are believed. */
import type { Random } from "../simulation/random.ts";
import type { ProgramAgent } from "./programs-node.ts";
import type { ModelLocks } from "./undo-model.ts";

interface WantedPath {
  readonly path: string;
  readonly mode: string;
  readonly scope: string;
}

interface HeldPath extends WantedPath {
  readonly agent: string;
}

const functionPath = (program: string, id: string): string => `program/${program}/function/${id}`;

export const writeLock = (program: string, id: string): WantedPath => ({
  ...{ path: functionPath(program, id), mode: "write", scope: "self" },
});

export const wholeLock = (program: string): WantedPath => ({
  ...{ path: `program/${program}`, mode: "write", scope: "tree" },
});

export class HeldLocks {
  #held: readonly HeldPath[] = [];

  /** Acquires all paths or none. An agent has one grant at a path, so that a release leaves none. */
  async acquire(agent: ProgramAgent, wanted: readonly WantedPath[]): Promise<void> {
    const paths = wanted.filter(
      ({ path }) => !this.#held.some((held) => held.agent === agent.id && held.path === path),
    );
    if (paths.length === 0) return;
    const { outcome } = await agent.send("acquire-lock", { paths: paths as never });
    if (outcome.kind === "done") this.#held = [...this.#held, ...paths.map((path) => ({ agent: agent.id, ...path }))];
  }

  /** Releases one path, or mostly all paths, of one agent. */
  async release(random: Random, agentOf: (id: string) => ProgramAgent): Promise<void> {
    if (this.#held.length === 0) return;
    const { agent, path } = random.pick(this.#held);
    const own = this.#held.filter((held) => held.agent === agent).map((held) => held.path);
    const paths = random.chance(0.8) ? own : [path];
    await agentOf(agent).done("release-lock", { paths });
    this.remove(agent, paths);
  }

  /** An ended agent holds nothing. */
  remove(agent: string, paths?: readonly string[]): void {
    this.#held = this.#held.filter((held) => held.agent !== agent || paths?.includes(held.path) === false);
  }

  of(program: string): ModelLocks {
    const whole = `program/${program}`;
    const at = (path: string) => this.#held.filter((held) => held.path === path);
    const trees = () => at(whole).filter(({ scope }) => scope === "tree");
    const ofFunction = (id: string) => at(functionPath(program, id));
    return {
      holds(agent, id, mode) {
        const strong = ofFunction(id).filter((held) => mode === "read" || held.mode === "write");
        return [...strong, ...trees()].some((held) => held.agent === agent);
      },
      holdsProgram: (agent) => trees().some((held) => held.agent === agent),
      isForeign(agent, id) {
        const held = id === undefined ? at(whole) : ofFunction(id);
        return [...held, ...trees()].some((each) => each.agent !== agent);
      },
    };
  }
}
