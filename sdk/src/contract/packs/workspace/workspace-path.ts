/** The names of a record: of its project, its map and its sketch. */
export interface WorkspacePlace {
  readonly project: string;
  readonly map?: string | undefined;
  readonly sketch?: string | undefined;
}

/** The path of a project, a map or a sketch. Locks, rights and published files go by it. */
export function workspacePath({ project, map, sketch }: WorkspacePlace): string {
  const ofMap = map === undefined ? "" : `/map/${map}`;
  const ofSketch = sketch === undefined ? "" : `/sketch/${sketch}`;
  return `project/${project}${ofMap}${ofSketch}`;
}
