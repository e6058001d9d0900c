/**
 * The worker processes of this node for the jobs of the workspace. They start with the first project of the workspace, so a
 * server without one has no such process. If a process exits, all of them are stopped and started again by the keeper.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { workspaceProject } from "@holdfast/sdk/contract";
import { entityTable } from "../features/entities/entity-table.ts";
import type { Engine } from "../engine/engine.ts";
import type { ServiceFactory } from "./service.ts";

interface WorkerProcessOptions {
  /** Number of processes. */
  readonly count: number;
  /** The program and its arguments. It reports over its IPC channel when it works, and ends with that channel. */
  readonly command: () => readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Maximum time for the running jobs to return to the queue. The keeper waits little longer for a stop. */
const stopMs = 4_000;

/** Interval between two polls for the first project. A poll is one search in memory. */
const lookEveryMs = 1_000;

export function workerProcesses({ count, command, env }: WorkerProcessOptions): ServiceFactory {
  return ({ services: { engine }, clock, fail }) => {
    let processes: WorkerProcess[] = [];
    let isStopped = true;
    let cancelLook: () => void = () => undefined;

    const startAll = async (): Promise<void> => {
      processes = Array.from({ length: count }, () => new WorkerProcess(command(), env, fail));
      await Promise.all(processes.map(({ working }) => working));
    };
    const look = async (): Promise<void> => {
      if (isStopped) return;
      const hasProjects = await hasProject(engine);
      if (hasProjects) await startAll();
      else cancelLook = clock.after(lookEveryMs, () => void look().catch(fail), { keepAlive: false });
    };
    return {
      name: "workers",
      start() {
        isStopped = false;
        return look();
      },
      async stop() {
        isStopped = true;
        cancelLook();
        const ending = processes;
        processes = [];
        await Promise.all(ending.map((each) => each.stop((kill) => clock.after(stopMs, kill, { keepAlive: true }))));
      },
      health: () => ({
        processes: processes.flatMap(({ pid, isWorking }) => (isWorking && pid !== undefined ? [pid] : [])),
      }),
    };
  };
}

function hasProject(engine: Engine): Promise<boolean> {
  const first = { prefix: `${workspaceProject.type}/`, limit: 1 };
  return engine.scan((state) => state.rows(entityTable).scan("subject", first).length > 0);
}

class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  /** Resolves when the process offers its slots. A process that exits before that rejects it. */
  readonly working: Promise<unknown>;
  isWorking = false;
  #isStopped = false;

  constructor(
    [program, ...args]: ReturnType<WorkerProcessOptions["command"]>,
    env: WorkerProcessOptions["env"],
    fail: (cause: unknown) => void,
  ) {
    this.#child = spawn(program, args, { env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const started = Promise.withResolvers<undefined>();
    this.working = started.promise;
    this.#exited = new Promise((resolve) => {
      const end = (reason: string): void => {
        resolve();
        const { pid } = this.#child;
        const what = pid === undefined ? "a worker process did not start" : `the worker process ${String(pid)} ended`;
        const error = new Error(`${what}: ${reason}`);
        if (this.isWorking && !this.#isStopped) fail(error);
        else started.reject(error);
        this.isWorking = false;
      };
      this.#child.once("error", (error) => end(error.message));
      this.#child.once("exit", (code, signal) => end(signal ?? `exit code ${String(code)}`));
    });
    this.#child.once("message", () => {
      this.isWorking = true;
      started.resolve(undefined);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Ends the process, by force if it takes too long. */
  async stop(afterTimeout: (kill: () => void) => () => void): Promise<void> {
    this.#isStopped = true;
    const cancel = afterTimeout(() => void this.#child.kill("SIGKILL"));
    this.#child.kill("SIGTERM");
    await this.#exited;
    cancel();
  }
}
