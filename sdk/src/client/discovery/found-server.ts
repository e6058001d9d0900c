export interface FoundServer {
  /** Its address, or the addresses of several nodes separated by commas. */
  readonly url: string;
  /** The source of the address, for messages. */
  readonly from: string;
  /** Whether the user or the program named the address or the data folder. A search alone proves nothing. */
  readonly isNamed: boolean;
  /** The data folder of the server, if the address came from there. */
  readonly folder?: string;
  /** The process that serves the data folder. */
  readonly pid?: number;
  /** The path of the operator's socket, instead of an address of TCP. */
  readonly operatorSocket?: string;
}
