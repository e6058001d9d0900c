/** Processes that are under load at the same time. They live through all rounds, so that their code stays compiled. */
import { join } from "node:path";
import { type Program, startProgram } from "../../test/scenario/program.ts";
import type { Load } from "../load.ts";

export class LoadGroup {
  readonly #programs: readonly Program[];
  #round = 0;

  private constructor(programs: readonly Program[]) {
    this.#programs = programs;
  }

  /** The file is in this folder. Each list of words is the arguments of one process. */
  static async start(file: string, words: readonly (readonly string[])[]): Promise<LoadGroup> {
    const path = join(import.meta.dirname, file);
    const programs = words.map((each) => startProgram(path, each, { inputStaysOpen: true }));
    await Promise.all(programs.map((program) => program.line(/^ready$/u)));
    return new LoadGroup(programs);
  }

  async run(durationMs: number): Promise<readonly Load[]> {
    const round = String((this.#round += 1));
    for (const program of this.#programs) program.send(`${round} ${String(durationMs)}`);
    const start = new RegExp(`^${round} `, "u");
    const lines = await Promise.all(this.#programs.map((program) => program.line(start)));
    return lines.map((line) => JSON.parse(line.slice(round.length)) as Load);
  }

  async close(): Promise<void> {
    for (const program of this.#programs) program.endInput();
    await Promise.all(this.#programs.map(({ ended }) => ended));
  }
}
