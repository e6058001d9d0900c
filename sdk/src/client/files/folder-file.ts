/** A file of a folder that is published. */
export interface FolderFile {
  /** The path from the folder, with `/` between names. */
  readonly path: string;
  readonly read: () => AsyncIterable<Uint8Array>;
}
