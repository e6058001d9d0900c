import type { ServerCaller } from "../discovery/server-caller.ts";
import { agentLabel, idsIn, needsName } from "./agent-label.ts";

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

  /** Replaces the ids of agents in the message of an error, such as the cycle of a deadlock, by their names. */
  async nameIn(error: unknown): Promise<void> {
    if (!(error instanceof Error)) return;
    const ids = idsIn(error.message);
    await this.load(ids);
    for (const id of ids)
      if (typeof this.#names.get(id) === "string") error.message = error.message.replaceAll(id, this.label(id));
  }

  label(id: string): string {
    return agentLabel(id, this.#names.get(id));
  }
}
