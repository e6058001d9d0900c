/**
 * The form in which a client shows members of the contract: camelCase, and durations in milliseconds. `owner_id` is
 * `ownerId`, and `ttl_seconds` is `ttlMs`. Names that no schema declares stay as they are.
 */
type ClientName<Name> = Name extends `${infer Head}_seconds`
  ? `${CamelName<Head>}Ms`
  : Name extends string
    ? CamelName<Name>
    : Name;

type CamelName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;

/** A value of the contract as the client shows it. A record with free names keeps them. */
export type ClientForm<Value> = unknown extends Value
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly ClientForm<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value as ClientName<Name>]: ClientForm<Value[Name]> }
      : Value;

const secondsSuffix = "_seconds";

export const isInSeconds = (wireName: string): boolean => wireName.endsWith(secondsSuffix);

/** The name of a declared member in the client. */
export function clientName(wireName: string): string {
  const name = isInSeconds(wireName) ? `${wireName.slice(0, -secondsSuffix.length)}_ms` : wireName;
  return name.replaceAll(/_([a-z0-9])/gu, (_match, letter: string) => letter.toUpperCase());
}
