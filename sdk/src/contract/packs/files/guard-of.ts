const ofProject = /^project\/[^/]+(?:\/map\/[^/]+(?:\/sketch\/[^/]+)?)?/u;

/** The path whose lock protects a target: the sketch, map or project that it is in, or else the target itself. */
export function guardOf(target: string): string {
  return ofProject.exec(target)?.[0] ?? target;
}

/** Whether a target is in a project, whose readers need its lock. */
export function isOfProject(target: string): boolean {
  return ofProject.test(target);
}
