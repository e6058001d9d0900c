/** An object type whose members that may be undefined are optional instead. */
type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

/** The members of an object that are not undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(members)) {
    const value = members[name as keyof T];
    if (value !== undefined) found[name] = value;
  }
  return found as Defined<T>;
}
