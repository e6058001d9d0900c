/** What a client learns from where it runs. In a browser there is nothing to learn. */
export interface Environment {
  /** An environment variable; undefined if it is not set, or empty. */
  readonly variable: (name: string) => string | undefined;
  /** The address that a server wrote into the nearest data folder, from the working directory upwards. */
  readonly writtenAddress: () => WrittenAddress | undefined;
}

export interface WrittenAddress {
  readonly url: string;
  /** The file it was read from. */
  readonly file: string;
}
