/**
 * By which type an entry holds an event that was published. Its name and its subject do not tell: an entity may be of the
 * type `lock` or `token`, and is then published under names and subjects that Holdfast's own events have too. So whoever
 * decides who may see an event, or whom it concerns, asks for this.
 *
 * It is kept beside the event and not in it, so what is sent stays as it is. A copy of an event has none.
 */
const types = new WeakMap<object, string>();

/** Notes the type of an event that is published. */
export function recordedAs<Published extends object>(type: string, published: Published): Published {
  types.set(published, type);
  return published;
}

/** Undefined if the event did not come from the journal of this process: then nothing can be said for certain. */
export function recordedType(published: object): string | undefined {
  return types.get(published);
}

/** True if an event is about an entity, whatever the type of the entity; all others are Holdfast's own. */
export function isOfEntity(type: string): boolean {
  return type.startsWith("entity.");
}

/** True if an event is about locks or those who wait for them. */
export function isOfLock(type: string): boolean {
  return type.startsWith("lock.");
}
