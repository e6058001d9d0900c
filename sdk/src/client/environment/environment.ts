/** The environment of a client. A browser has none. */
export interface Environment {
  /** An environment variable; undefined if it is unset or empty. */
  readonly variable: (name: string) => string | undefined;
  /** The address file of this data folder. A relative path starts at the working directory. */
  readonly noteIn: (folder: string) => ServerNote | undefined;
  /** The nearest data folder, from the working directory upwards. */
  readonly nearestFolder: () => NearestFolder | undefined;
  /** Prints a warning for the user of the program, once per process. */
  readonly warn: (message: string) => void;
}

/** The working directory and the environment variables of a program. */
export interface Surroundings {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A data folder that the search found. Without an address file no server runs on it. */
export interface NearestFolder {
  readonly folder: string;
  readonly note?: ServerNote;
}

/**
 * The file that a server writes into its data folder so that clients on this host find it. It is a hint, not a proof:
 * after a crash it names a process that is gone, and another program may listen on its port.
 */
export interface ServerNote {
  readonly url: string;
  /** The data folder, as an absolute path. */
  readonly folder: string;
  /** The process that wrote the file. */
  readonly pid: number;
  /** Whether that process still runs. */
  readonly isRunning: boolean;
  /** The path of the operator's socket, if it exists. Only the user of the folder, or root, can listen there. */
  readonly operatorSocket?: string;
  /** The host of the address if it is not this one. No client follows such an address. */
  readonly foreignHost?: string;
}
