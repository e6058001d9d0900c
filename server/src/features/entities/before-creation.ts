/** Why an entity that exists has no state at a position. */
export function beforeCreation(position: number, created: number | undefined): { readonly reason: string } {
  const then = created === undefined ? "" : `; it was created at position ${created}`;
  return { reason: `it did not exist at position ${position}${then}` };
}
