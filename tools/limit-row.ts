/** A row of the page of all limits. */
export interface LimitRow {
  readonly bounds: string;
  /** The code of the refusal, in backticks, or what happens instead. */
  readonly beyond: string;
  /** The title of a test that shows it. */
  readonly test?: string;
  /** The setting of the server, or of `configure`. */
  readonly setting?: string;
}

/** A number that paces work and bounds nothing that a caller could use up. */
export type Row = LimitRow | "pace";
export type Rows<Limits> = { readonly [Name in keyof Limits]: Row };

/** The rows of one part of the server, and the object that holds the values. */
export interface LimitGroup {
  readonly title: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly rows: Readonly<Record<string, Row>>;
}
