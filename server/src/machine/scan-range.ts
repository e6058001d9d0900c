/** The rows of a scan, by one sort key. */
export interface ScanRange {
  /** Only sort keys with this prefix. */
  readonly prefix?: string | undefined;
  /** Only sort keys above this. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Scans from the highest sort key to the lowest. */
  readonly descending?: boolean;
}
