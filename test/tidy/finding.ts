/** One violation of a rule of STYLE.md. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** The form that editors and terminals turn into a link. */
export const findingLine = ({ path, line, message }: Finding): string => `${path}:${line}: ${message}`;
