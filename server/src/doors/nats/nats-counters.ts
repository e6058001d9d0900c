/** What the door has done so far. Figures are read from it when somebody asks. */
export interface NatsCounters {
  /** Deliveries from the stream of commands, and those among them that were not the first of their command. */
  commands: number;
  redeliveries: number;
  /** Requests that were answered. */
  requests: number;
  parked: number;
  /** Events that this runtime has published, and those that it told again. */
  published: number;
  repeated: number;
  /** How often the connection was lost. */
  disconnects: number;
}

export function newNatsCounters(): NatsCounters {
  return { commands: 0, redeliveries: 0, requests: 0, parked: 0, published: 0, repeated: 0, disconnects: 0 };
}
