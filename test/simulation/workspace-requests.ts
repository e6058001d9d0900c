import { defined } from "@holdfast/sdk/base/defined";
import { workspacePath } from "@holdfast/sdk/contract";
import type { WorkspacePlace } from "@holdfast/sdk/contract";
import { entityTable, isLive } from "../../server/src/features/entities/entity-table.ts";
import type { SimulatedRequest } from "./entity-requests.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** Jobs and other owners lock records of the project `p` too. */
const projects = ["p", "q"];
const maps = ["m", "n"];
const sketches = ["s", "t"];

/** Weights of the kinds of requests. */
const usual = {
  lock: 24,
  create: 10,
  rename: 10,
  objects: 30,
  many: 2,
  several: 4,
  move: 8,
  role: 5,
  calibrate: 4,
  remove: 5,
  approve: 6,
  template: 4,
} as const;

/** Generates the requests of people and agents that edit one small workspace. */
export class WorkspaceRequests {
  readonly #random: Random;
  readonly #world: World;
  readonly #weights: Record<keyof typeof usual, number>;

  constructor(world: World) {
    this.#random = world.random;
    this.#world = world;
    this.#weights = world.random.unevenly(usual);
    this.#weights.create += 8;
    this.#weights.objects += 10;
  }

  make(): SimulatedRequest {
    const random = this.#random;
    const agents = [...this.#world.locks.view.agents.keys()];
    if (agents.length < 2) return { ...by("register-agent", { inactivity_seconds: 60 }), isKeyless: true };
    const project = random.chance(0.85) ? "p" : random.pick(projects);
    const place = { project, map: random.pick(maps), sketch: random.pick(sketches) };
    const agent = random.chance(0.9) ? random.pick(agents) : undefined;
    // Without records nothing could happen to them.
    return (random.chance(0.9) ? this.#missing(place, agent) : undefined) ?? this.#make(place, agent);
  }

  /** The creation of the first record of a place that does not exist. */
  #missing({ project, map, sketch }: WorkspacePlace, agent: string | undefined): SimulatedRequest | undefined {
    const records = [
      ["project", { project }, project],
      ["map", { project, map }, `${project}/${map ?? ""}`],
      ["sketch", { project, map, sketch }, `${project}/${map ?? ""}/${sketch ?? ""}`],
    ] as const;
    const rows = this.#world.history.machine.durable.rows(entityTable);
    const first = records.find(([name, , id]) => !isLive(rows.get(`workspace-${name}/${id}`)));
    if (first === undefined) return undefined;
    const [name, of] = first;
    const root = name === "project" && this.#random.chance(0.8) ? { root: "left" } : {};
    return by(`workspace.create-${name}`, { ...of, name: "n", ...root, lock: "take" }, agent);
  }

  #make(place: Required<WorkspacePlace>, agent: string | undefined): SimulatedRequest {
    const random = this.#random;
    const { project, map, sketch } = place as { project: string; map: string; sketch: string };
    const ofMap = { project, map };
    const object = `o${String(random.below(6))}`;
    switch (random.weighed(this.#weights)) {
      case "lock":
        return this.#lock(random.pick([{ project }, ofMap, place, place]), agent);
      case "create":
        return this.#create(place, agent);
      case "rename": {
        const [name, of] = random.pick([
          ["project", { project }],
          ["map", ofMap],
          ["sketch", place],
        ] as const);
        return this.#under(`update-${name}`, of, { changes: { name: `n${String(random.below(3))}` } }, agent);
      }
      case "objects":
        return this.#under("change-objects", place, { changes: [this.#change(object)] }, agent);
      case "many": {
        const changes = Array.from({ length: 101 }, (_, index) => put(`x${String(index)}`));
        return this.#under("change-objects", place, { changes }, agent);
      }
      case "several": {
        const changes = sketches.map((own) => ({ ...this.#change(object), sketch: own }));
        const level = random.pick([undefined, "sketch", "map"]);
        return this.#under("change-objects", ofMap, defined({ changes, level }), agent);
      }
      case "move": {
        const to = { map: random.pick(maps), sketch: random.pick(sketches) };
        const input = { from: { map, sketch }, to, objects: [object] };
        return this.#under("reassign-objects", { project }, input, agent);
      }
      case "role":
        return this.#role(project, agent);
      case "calibrate": {
        const points = [0, 100].map((x) => ({ x, y: 0, u: x / 20, v: 0 }));
        return this.#under("calibrate-map", ofMap, { points, unit: "m" }, agent);
      }
      case "remove":
        return random.pick([
          this.#under("delete-sketch", place, {}, agent),
          this.#under("delete-sketch", place, {}, agent),
          this.#under("delete-map", ofMap, {}, agent),
        ]);
      case "approve":
        return this.#approval(project, agent);
      case "template":
        return random.chance(0.5)
          ? by("workspace.create-template", { template: "f", name: "f", maps: [{ map: "k", name: "k" }] })
          : this.#under(
              "apply-template",
              { project },
              { template: "f", prefix: `y${String(random.below(3))}-` },
              agent,
            );
    }
  }

  #role(project: string, agent: string | undefined): SimulatedRequest {
    const random = this.#random;
    return random.chance(0.7)
      ? this.#under("set-role", { project }, { principal: "ben", role: random.pick(["editor", "owner"]) }, agent)
      : this.#under("remove-role", { project }, { principal: random.pick(["ben", "ada"]) }, agent);
  }

  #create(place: WorkspacePlace, agent: string | undefined): SimulatedRequest {
    const { project, map, sketch } = place;
    const [name, of] = this.#random.pick([
      ["create-project", { project }],
      ["create-map", { project, map }],
      ["create-sketch", { project, map, sketch }],
    ] as const);
    return this.#under(name, of, { name: "n" }, agent);
  }

  #change(object: string): Readonly<Record<string, unknown>> {
    const random = this.#random;
    if (random.chance(0.2)) return { op: "delete", object };
    if (random.chance(0.2)) return { op: "merge", object, value: { points: [random.below(9), 1] } };
    return put(object);
  }

  /** With a lock that it takes, with the fence of some lock there, or with the locks of its agent. */
  #under(
    name: string,
    place: WorkspacePlace,
    input: SimulatedRequest["input"],
    agent: string | undefined,
  ): SimulatedRequest {
    const random = this.#random;
    const path = workspacePath(place);
    const fences = [...this.#world.locks.view.grants.values()].filter(({ paths }) =>
      paths.some((held) => path === held.path || path.startsWith(`${held.path}/`)),
    );
    const proof =
      random.chance(0.5) || fences.length === 0
        ? random.chance(0.8) && { lock: "take" }
        : random.chance(0.6) && { fence: random.pick(fences).fence };
    const owner = fences.find(({ fence }) => proof !== false && "fence" in proof && proof.fence === fence)?.owner;
    const agents = this.#world.locks.view.agents;
    return by(
      `workspace.${name}`,
      { ...place, ...input, ...proof },
      owner !== undefined && agents.has(owner) ? owner : agent,
    );
  }

  #lock(place: WorkspacePlace, agent: string | undefined): SimulatedRequest {
    const random = this.#random;
    const mode = random.chance(0.75) ? "write" : "read";
    const paths = [{ path: workspacePath(place), mode, scope: random.pick(["self", "tree"]) }];
    return by("acquire-lock", { paths, ttl_seconds: random.pick([30, 45, 60]) }, agent);
  }

  /** The second person is another principal, which decides without an agent. */
  #approval(project: string, agent: string | undefined): SimulatedRequest {
    const random = this.#random;
    const rows = this.#world.history.machine.durable
      .rows(entityTable)
      .scan("subject", { prefix: `workspace-approval/${project}/`, limit: 5 });
    const known = rows.map(({ id }) => id.slice(project.length + 1));
    if (known.length === 0 || random.chance(0.3))
      return by("workspace.request-approval", { project, action: "delete-project" }, agent);
    const approval = random.pick(known);
    if (random.chance(0.6))
      return { ...by("workspace.decide-approval", { project, approval, decision: "approve" }), principal: "ben" };
    return this.#under("delete-project", { project }, { approval }, agent);
  }
}

const put = (object: string): Readonly<Record<string, unknown>> => ({
  op: "put",
  object,
  value: { shape: "point", points: [3, 4] },
});

function by(operation: string, input: SimulatedRequest["input"], agent?: string): SimulatedRequest {
  return { operation, input, isRead: false, speaker: { agent } };
}
