import type { ServerCaller } from "../discovery/server-caller.ts";
import { agentLabel, needsName } from "./agent-label.ts";

/** The names of agents by id, including agents that have ended. Each id is looked up once. */
export class AgentNames {
  readonly #call: ServerCaller["call"];
  readonly #names = new Map<string, string | null>();

  constructor({ call }: Pick<ServerCaller, "call">) {
    this.#call = call;
  }

  /** Looks up the names of these ids. A name that the caller may not see stays unknown. */
  async load(ids: Iterable<string>): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => needsName(id) && !this.#names.has(id));
    await Promise.all(
      missing.map(async (id) => {
        const found = await this.#call("who-am-i", { owner_id: id, limit: 1 }).catch(() => undefined);
        this.#names.set(id, found?.agent?.name ?? null);
      }),
    );
  }

  label(id: string): string {
    return agentLabel(id, this.#names.get(id));
  }
}
