/** The example files for operators must name existing settings and options, and the current versions. */
import assert from "node:assert/strict";
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { readConfig } from "../../server/src/config/read-config.ts";
import { clientVariables, settingNames, variableOf } from "../../server/src/config/settings.ts";
import { exitCodes } from "../../server/src/doors/cli/exit-codes.ts";
import { packageVersion } from "../../server/src/base/package-version.ts";
import { inEmptyFolder, startCommand } from "./program.ts";
import { spawnChildSync } from "./spawn-child.ts";

const root = join(import.meta.dirname, "..", "..");
const examples = join(root, "examples");
const known = [...settingNames.map(variableOf), ...Object.keys(clientVariables)];

function assertKnown(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(env)) assert.ok(known.includes(name), `${name} is a setting`);
}

/** The lines of a section of a unit, as pairs. */
function section(unit: string, name: string): readonly (readonly [string, string])[] {
  const [, text = ""] = unit.split(`[${name}]\n`);
  const lines = (text.split(/^\[/mu)[0] ?? "").split("\n").filter((line) => /^[A-Za-z]+=/u.test(line));
  return lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
}

test("the unit for systemd starts a valid server, stores data in a writable folder, and does not restart after a permanent failure", () => {
  const unit = readFileSync(join(examples, "systemd", "holdfast.service"), "utf8");
  const service = section(unit, "Service");
  const value = (name: string): string => service.find(([key]) => key === name)?.[1] ?? assert.fail(`no ${name}`);
  const env = Object.fromEntries(
    service.filter(([key]) => key === "Environment").map(([, pair]) => pair.split("=") as [string, string]),
  );
  assertKnown(env);
  assertKnown(Object.fromEntries([...unit.matchAll(/HOLDFAST_[A-Z_]+/gu)].map(([name]) => [name, ""])));
  const { config } = readConfig({ options: {}, env, folder: "/" });
  assert.equal(config.data, `/var/lib/${value("StateDirectory")}`);
  assert.equal(value("ExecStart").split(" ").slice(1).join(" "), "holdfast up");
  const stopped: readonly number[] = value("RestartPreventExitStatus").split(" ").map(Number);
  assert.deepEqual(stopped, [exitCodes.usage, exitCodes.damaged, exitCodes.unknownHistory, exitCodes.refused]);
  assert.equal(value("KillSignal"), "SIGTERM");
});

/** Every restriction that a coordination server can live with. Node compiles at run time, so one is missing. */
const restrictions = [
  ["DynamicUser", "yes"],
  ["UMask", "0077"],
  ["NoNewPrivileges", "yes"],
  ["CapabilityBoundingSet", ""],
  ["ProtectSystem", "strict"],
  ["ProtectHome", "yes"],
  ["ProtectClock", "yes"],
  ["ProtectHostname", "yes"],
  ["ProtectKernelLogs", "yes"],
  ["ProtectKernelModules", "yes"],
  ["ProtectKernelTunables", "yes"],
  ["ProtectControlGroups", "yes"],
  ["RestrictNamespaces", "yes"],
  ["LockPersonality", "yes"],
  ["SystemCallFilter", "@system-service"],
] as const;

test("the unit for systemd runs Holdfast without privileges, and bounds its memory and its tasks [X14 X15]", () => {
  const service = section(readFileSync(join(examples, "systemd", "holdfast.service"), "utf8"), "Service");
  for (const [key, value] of restrictions) {
    assert.ok(
      service.some((line) => line[0] === key && line[1] === value),
      `${key}=${value}`,
    );
  }
  for (const key of ["MemoryMax", "TasksMax", "LimitNOFILE"]) assert.ok(service.some(([name]) => name === key));
});

/** Why systemd-analyze cannot be asked here; false if it can. */
const noAnalyze =
  spawnChildSync("systemd-analyze", ["--version"]).error === undefined ? false : "systemd-analyze is not installed";

test("systemd-analyze accepts the unit, and finds at most a small exposure [X14]", { skip: noAnalyze }, () => {
  const unit = join(examples, "systemd", "holdfast.service");
  for (const args of [
    ["verify", "--man=no", unit],
    ["security", "--no-pager", "--offline=true", "--threshold=20", unit],
  ]) {
    const { status, stdout, stderr } = spawnChildSync("systemd-analyze", args, { encoding: "utf8" });
    assert.equal(status, 0, stdout + stderr);
    assert.equal(stderr, "");
  }
});

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly privileged?: boolean;
  readonly tmpfs?: readonly string[];
  readonly networks?: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

const compose = (): ComposeFile =>
  parse(readFileSync(join(examples, "compose", "compose.yaml"), "utf8"), { merge: true }) as ComposeFile;

test("the nodes of the compose file share a journal and the operator's token, and nothing else", () => {
  const { services, volumes } = compose();
  const { database, ...nodes } = services;
  assert.match(database?.image ?? "", /^postgres:1[4-9]\.[0-9]+-bookworm$/u);
  assert.ok(Object.keys(nodes).length >= 2);
  for (const [name, { environment: env, image, build, ports = [], volumes: mounted = [] }] of Object.entries(nodes)) {
    assertKnown(env);
    assert.equal(image, `holdfast:${packageVersion()}`);
    assert.equal(resolve(examples, "compose", build?.context ?? ""), root);
    assert.equal(join(root, build?.dockerfile ?? ""), join(examples, "compose", "Dockerfile"));
    const given = Object.fromEntries(
      Object.entries(env).map(([key, value]) => [key, value.replaceAll(/\$\{[^}]*\}/gu, "x")]),
    );
    const { config } = readConfig({ options: {}, env: given, folder: "/" });
    assert.match(config.journal, /^postgres:\/\/holdfast:x@database:\d+\/holdfast$/u);
    assert.ok(config.allowed_hosts.includes(name), "the other services reach it by its name");
    // Only reachable from this host, because it is plain HTTP.
    for (const port of ports) assert.match(port, new RegExp(`^127\\.0\\.0\\.1:[0-9]+:${String(config.port)}$`, "u"));
    assert.deepEqual(mounted, [`${name}:${config.data}`]);
    assert.ok(Object.hasOwn(volumes, name));
  }
  const [one, two] = Object.values(nodes);
  assert.equal(one?.environment["HOLDFAST_OPERATOR_TOKEN"], two?.environment["HOLDFAST_OPERATOR_TOKEN"]);
});

test("every container of the compose file is unprivileged with a read-only root, and only nodes reach the database [X14]", () => {
  const { services, networks } = compose();
  for (const [name, service] of Object.entries(services)) {
    assert.match(service.user ?? "root", /^(node|postgres)$/u, name);
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ["ALL"], name);
    assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
    assert.deepEqual([service.cap_add, service.privileged], [undefined, undefined], name);
    for (const mount of service.tmpfs ?? []) assert.match(mount, /:size=\d+m,/u, name);
    // A check runs every few seconds: it downloads nothing, and sends no token.
    assert.doesNotMatch(service.healthcheck.test.join(" "), /npx|npm|token|authorization|TOKEN/iu, name);
  }
  assert.deepEqual(services["database"]?.networks, ["journal"]);
  assert.deepEqual([services["database"].ports, networks["journal"]?.internal], [undefined, true]);
});

/** The instructions of the last stage of the image, and those of the stages before it. */
function dockerfile(): { readonly all: readonly string[]; readonly last: readonly string[] } {
  const text = readFileSync(join(examples, "compose", "Dockerfile"), "utf8");
  const all = text.split("\n").filter((line) => /^[A-Z]+ /u.test(line));
  return { all, last: all.slice(all.findLastIndex((line) => line.startsWith("FROM "))) };
}

/** The list of an instruction such as `CMD ["up"]`. */
function listOf(lines: readonly string[], instruction: string): readonly string[] {
  const line = lines.find((each) => each.startsWith(`${instruction} [`)) ?? assert.fail(`no ${instruction}`);
  return JSON.parse(line.slice(instruction.length + 1)) as readonly string[];
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
}

/** The packages that the image installs, by their path. */
function installedPackages(): readonly (readonly [string, LockedPackage])[] {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, LockedPackage>> };
  return Object.entries(packages).filter(
    ([path, { dev, optional }]) => path.startsWith("node_modules/") && dev !== true && optional !== true,
  );
}

test("the image is installed by npm ci from a lock file with checksums, on a pinned base, and runs as the user node [X14]", () => {
  const { all, last } = dockerfile();
  const bases = all.filter((line) => line.startsWith("FROM "));
  for (const base of bases) assert.match(base, /^FROM node:24\.\d+\.\d+-bookworm-slim( AS packages)?$/u);
  const installs = all.filter((line) => /npm|npx/u.test(line));
  assert.deepEqual(installs, ["RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund"]);
  assert.ok(all.includes("COPY package.json package-lock.json ./"));
  assert.equal(
    last.findLast((line) => line.startsWith("USER ")),
    "USER node",
  );
  for (const [path, { link, integrity }] of installedPackages()) {
    if (link !== true) assert.match(integrity ?? "", /^sha512-/u, path);
  }
});

/** The unprivileged user of a container. */
const otherUser = 65_534;

/**
 * A shell script that runs a command as a container does. All of the file system is read-only except one folder. The command
 * has another user, no capabilities and no way to get any.
 */
const confine = `
set -eu
writable=$1; shift
mount --bind "$writable" "$writable"
cut -d " " -f 5 /proc/self/mountinfo | while read -r mounted; do
  case "$mounted" in "$writable" | /proc* | /dev*) continue ;; esac
  mount -o remount,bind,ro "$mounted" 2>/dev/null || true
done
if touch /holdfast-probe 2>/dev/null; then echo "the root is writable" >&2; exit 99; fi
exec setpriv --reuid=${String(otherUser)} --regid=${String(otherUser)} --clear-groups --no-new-privs \
  --bounding-set=-all --inh-caps=-all -- "$@"
`;
const confined = (writable: string, command: readonly string[]): readonly string[] => [
  ...["--mount", "--propagation", "private", "sh", "-c", confine, "confine", writable],
  ...command,
];

/** Why no process can be confined here; false if it can. */
function cannotConfine(): string | false {
  if (process.getuid?.() !== 0) return "only root can mount a read-only root";
  const { status, error, stderr } = spawnChildSync("unshare", confined("/tmp", [process.execPath, "--version"]));
  if (status === 0) return false;
  return `no read-only root or no unprivileged user here: ${error?.message ?? String(stderr).trim()}`;
}

test(
  "the command of the image serves as an unprivileged user with a read-only root, and the health check of the compose file passes [X14]",
  { skip: cannotConfine() },
  inEmptyFolder(async (folder) => {
    chmodSync(dirname(folder), 0o755);
    const [app, data, temporary] = ["app", "data", "tmp"].map((name) => join(folder, name)) as [string, string, string];
    for (const name of [data, temporary]) {
      mkdirSync(name, { mode: 0o700 });
      chownSync(name, otherUser, otherUser);
    }
    // The files of the image, as the Dockerfile copies them, and only the packages that it installs.
    for (const [, from = "", to = ""] of dockerfile().all.flatMap((line) => [...line.matchAll(/^COPY (\S+) (\S+)$/gu)]))
      cpSync(join(root, from), join(app, to.endsWith("/") ? join(to, from.split("/").at(-1) ?? "") : to), {
        recursive: true,
        filter: (path) => !path.endsWith("node_modules"),
      });
    for (const [path, { link, resolved }] of installedPackages()) {
      if (path.lastIndexOf("node_modules/") > 0) continue;
      mkdirSync(dirname(join(app, path)), { recursive: true });
      symlinkSync(link === true ? join(app, resolved ?? "") : join(root, path), join(app, path));
    }
    const [node = "", ...entry] = listOf(dockerfile().last, "ENTRYPOINT");
    assert.equal(node, "node");
    const command = [process.execPath, ...entry, ...listOf(dockerfile().last, "CMD"), "--json"];
    const env = { HOLDFAST_DATA: data, HOLDFAST_PORT: "0", TMPDIR: temporary, HOME: "/" };
    const program = startCommand("unshare", confined(data, command), { folder: app, env });
    try {
      const { url } = JSON.parse(await program.line(/"event":"up"/u)) as { readonly url: string };
      const [, , ...check] = compose().services["node1"]?.healthcheck.test ?? [];
      const given = check.map((word) => word.replace(/http:\/\/127\.0\.0\.1:\d+/u, url));
      const health = await startCommand(process.execPath, given, { folder: app }).ended;
      assert.deepEqual([health.code, health.errors], [0, ""]);
      const elsewhere = given.map((word) => word.replace("/health'", "/nothing'"));
      assert.equal((await startCommand(process.execPath, elsewhere, { folder: app }).ended).code, 1);
      const status = readFileSync(`/proc/${String(program.pid)}/status`, "utf8");
      assert.match(status, /^CapEff:\t0+$/mu);
      assert.match(status, /^CapBnd:\t0+$/mu);
      assert.match(status, /^NoNewPrivs:\t1$/mu);
      assert.match(status, new RegExp(`^Uid:\\t${String(otherUser)}\\t`, "mu"));
    } finally {
      program.signal("SIGTERM");
      const { code, errors } = await program.ended;
      assert.equal(code, 0, errors);
    }
  }),
);
