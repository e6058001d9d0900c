/** The counters of the door since its start. The metrics read them when they are scraped. */
export interface NatsCounters {
  /** Deliveries from the command stream. `redeliveries` counts those that were not the first of their command. */
  commands: number;
  redeliveries: number;
  /** Received requests. */
  requests: number;
  /** Requests that were dropped because of their reply address. */
  droppedRequests: number;
  parked: number;
  /** Events that this runtime published. `repeated` counts the events that it published again. */
  published: number;
  repeated: number;
  /** Lost connections. */
  disconnects: number;
}

export function newNatsCounters(): NatsCounters {
  return {
    commands: 0,
    redeliveries: 0,
    requests: 0,
    droppedRequests: 0,
    parked: 0,
    published: 0,
    repeated: 0,
    disconnects: 0,
  };
}
