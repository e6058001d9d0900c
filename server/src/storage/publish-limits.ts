export interface PublishLimits {
  /** Maximum bytes of all files together. */
  readonly bytesMax: number;
  readonly fileBytesMax: number;
  readonly filesMax: number;
}
