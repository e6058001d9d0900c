/** One input per operation of planning. Documents show it, and a test checks that it matches the schema. */
type Input = Readonly<Record<string, unknown>>;

const range = { from: "2027-03-01T08:00:00Z", to: "2027-03-05T17:00:00Z" };

/** Per resource: a new one, a change and the filter of a list. */
const resources: Readonly<Record<string, { made: Input & { id: string }; changes: Input; listed: Input }>> = {
  organization: { made: { id: "acme", name: "Acme" }, changes: { name: "Acme Works" }, listed: { limit: 50 } },
  project: {
    made: { id: "bridge", organization_id: "acme", name: "Bridge" },
    changes: { description: "over the river" },
    listed: { organization_id: "acme", limit: 50 },
  },
  collaborator: {
    made: { id: "ann", organization_id: "acme", name: "Ann", email: "ann@acme.example" },
    changes: { name: "Anna" },
    listed: { organization_id: "acme", limit: 50 },
  },
  mission: {
    made: { id: "weld", project_id: "bridge", name: "Weld", ...range },
    changes: { description: "by hand" },
    listed: { project_id: "bridge", status: "planned", limit: 50 },
  },
  assignment: {
    made: { id: "weld-ann", mission_id: "weld", collaborator_id: "ann", role: "welder", ...range },
    changes: { role: "painter" },
    listed: { mission_id: "weld", limit: 50 },
  },
};

const expected = { expected_revision: "1.1" };

export const planningExamples: Readonly<Record<string, Input>> = {
  ...Object.fromEntries(
    Object.entries(resources).flatMap(([name, { made, changes, listed }]): [string, Input][] => {
      const { id } = made;
      return [
        [`create-${name}`, made],
        [`update-${name}`, { id, changes, ...expected }],
        [`archive-${name}`, { id, ...expected }],
        [`unarchive-${name}`, { id, ...expected }],
        [`delete-${name}`, { id, ...expected }],
        [`get-${name}`, { id }],
        [`list-${name}s`, listed],
      ];
    }),
  ),
  "transition-mission": { id: "weld", to: "planned", ...expected },
  "reopen-mission": { id: "weld", reason: "the steel came late", ...expected },
};
