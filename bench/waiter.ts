import type { Client, Granted, WatchedEvent } from "holdfast";

/** An agent that stands in line and takes what it is told of, with the operations alone. */
export class Waiter {
  readonly agent: Client;
  readonly #events: AsyncIterator<WatchedEvent>;

  private constructor(agent: Client, events: AsyncIterator<WatchedEvent>) {
    this.agent = agent;
    this.#events = events;
  }

  static async of(client: Client): Promise<Waiter> {
    const registered = await client.agents.register();
    const events = client.watch({ owner: registered.agent_id, after: await client.cursor() });
    return new Waiter(client.as(registered), events);
  }

  async acquire(path: string): Promise<Granted> {
    const options = { ttlSeconds: 60, wait: true };
    const answer = await this.agent.locks.acquire(path, options);
    if (answer.granted) return answer;
    const { ticket } = answer;
    for (;;) {
      const { value } = (await this.#events.next()) as { readonly value: WatchedEvent };
      if (value.name !== "evt.lock.acquired" || (value.data as { ticket?: string }).ticket !== ticket) continue;
      const claimed = await this.agent.locks.claim(ticket);
      if (claimed.granted) return claimed;
    }
  }
}
