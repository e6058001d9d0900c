import type { Event } from "../../server/src/machine/entry.ts";
import type { WatchedJob } from "./watched-job.ts";

interface WatchedSettings {
  readonly caps?: Readonly<Record<string, number>> & { readonly classes: Readonly<Record<string, number>> };
  readonly projects?: Readonly<Record<string, { readonly max_jobs?: number } | null>>;
}

/** The caps of jobs, derived from the events of operators. */
export class WatchedCaps {
  global = 1_000;
  project = 50;
  map = 2;
  classes: Readonly<Record<string, number>> = { cpu: 4, io: 1_000 };
  readonly #projects = new Map<string, number>();
  /** The paused types and projects, as they are named in a request. */
  readonly paused = new Map<string, { readonly type?: string; readonly project?: string }>();

  apply({ type, data }: Event): void {
    if (type === "jobs.configured") this.#configure(data["settings"] as WatchedSettings);
    if (type !== "jobs.paused" && type !== "jobs.resumed") return;
    const { type: jobType, project } = data as { readonly type?: string; readonly project?: string };
    const target = jobType === undefined ? { project: project ?? "" } : { type: jobType };
    if (type === "jobs.paused") this.paused.set(JSON.stringify(target), target);
    else this.paused.delete(JSON.stringify(target));
  }

  /** The cap that the start of a job exceeds, given the jobs that run before it. */
  exceeded(job: WatchedJob, jobClass: string, running: readonly WatchedJob[]): string | undefined {
    const { type, project } = job;
    const count = (is: (other: WatchedJob) => boolean): number => running.filter(is).length;
    if (this.#isPaused({ type }) || this.#isPaused({ project })) return "a pause";
    if (running.length >= this.global) return "max_global_jobs";
    const ofClass = count(({ attempt }) => attempt?.jobClass === jobClass);
    if (ofClass >= (this.classes[jobClass] ?? this.classes["io"] ?? 0)) return `class ${jobClass}`;
    const own = this.#projects.get(project) ?? (project === "" ? Infinity : this.project);
    if (count((other) => other.project === project) >= own) return "max_jobs_per_project";
    const maps = count((other) => other.project === project && other.isMap);
    return job.isMap && project !== "" && maps >= this.map ? "max_concurrent_map_jobs_per_project" : undefined;
  }

  #isPaused(target: { readonly type?: string; readonly project?: string }): boolean {
    return this.paused.has(JSON.stringify(target));
  }

  #configure({ caps, projects = {} }: WatchedSettings): void {
    if (caps !== undefined) {
      this.global = caps["max_global_jobs"] ?? this.global;
      this.project = caps["max_jobs_per_project"] ?? this.project;
      this.map = caps["max_concurrent_map_jobs_per_project"] ?? this.map;
      this.classes = caps.classes;
    }
    for (const [name, settings] of Object.entries(projects)) {
      if (settings?.max_jobs === undefined) this.#projects.delete(name);
      else this.#projects.set(name, settings.max_jobs);
    }
  }
}
