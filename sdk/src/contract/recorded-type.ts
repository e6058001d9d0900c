/**
 * The type under which an entry stores a published event. Name and subject do not identify it. An entity may have the
 * type `lock` or `token`, and then shares names and subjects with Holdfast's own events. So visibility and ownership of
 * an event are decided by this type.
 *
 * The type is stored next to the event, not in it, so the sent text stays the same. A copy of an event has no type.
 */
const types = new WeakMap<object, string>();

/** Remembers the type of a published event. */
export function recordedAs<Published extends object>(type: string, published: Published): Published {
  types.set(published, type);
  return published;
}

/** Undefined if the event did not come from the journal of this process. Then nothing is certain. */
export function recordedType(published: object): string | undefined {
  return types.get(published);
}
