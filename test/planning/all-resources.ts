import type { Client } from "holdfast";

export interface ListedResource {
  readonly id: string;
  readonly version: number;
  readonly archived: boolean;
  readonly organization_id?: string;
  readonly project_id?: string;
  readonly mission_id?: string;
  readonly collaborator_id?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
}

type ById = ReadonlyMap<string, ListedResource>;

export interface Resources {
  readonly organizations: ById;
  readonly projects: ById;
  readonly collaborators: ById;
  readonly missions: ById;
  readonly assignments: ById;
}

/** All planning resources, read page by page. */
export async function allResources(client: Client): Promise<Resources> {
  const [organizations, projects, collaborators, missions, assignments] = [
    await all(client, "organizations"),
    await all(client, "projects"),
    await all(client, "collaborators"),
    await all(client, "missions"),
    await all(client, "assignments"),
  ];
  return { organizations, projects, collaborators, missions, assignments };
}

async function all(client: Client, plural: string): Promise<ById> {
  const found = new Map<string, ListedResource>();
  let after: string | undefined;
  do {
    const input = after === undefined ? { limit: 7 } : { limit: 7, after };
    const page = (await client.run(`planning.list-${plural}`, input)) as {
      items: readonly ListedResource[];
      next: string | null;
    };
    for (const item of page.items) found.set(item.id, item);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}
