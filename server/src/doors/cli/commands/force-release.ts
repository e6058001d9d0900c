import type { CliCommand } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { systemClock } from "../../../base/clock.ts";
import { holderLine } from "../terminal/lock-table.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import type { ServerCaller } from "../discovery/server-caller.ts";
import type { WireLockStatus } from "../terminal/lock-table.ts";

export const forceReleaseCommand: CliCommand = serverCommand({
  name: "force-release",
  usage: "FENCE|PATH",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "release a lock of another owner, as an operator",
  details: [
    "Releases exactly one grant: the grant with this FENCE, or the only grant on this PATH. The holder is notified, and",
    "its writes with the old fence are refused. A lock with recovery conditions is released only if the conditions are met.",
    "--override ignores these conditions, and the audit trail records it as another operation. It needs the operator's",
    "token: --token-file, HOLDFAST_TOKEN, or the file in the data folder.",
    "",
    '  holdfast force-release repo/x/src --reason "its host is gone"',
    '  holdfast force-release 1.42 --override --reason "checked by hand"',
  ],
  options: {
    reason: { value: "TEXT", summary: "the reason, which is stored in the audit trail" },
    override: { summary: "release the lock even if its recovery conditions are not met" },
  },
  operations: ["force-release", "override-release", "get-lock"],
  isForOperators: () => true,
  async execute({ call, positionals, values, show }) {
    const reason = textOption(values, "reason");
    if (reason === undefined) throw new UsageError('--reason is required: --reason="…"');
    const fence = await fenceOf(call, positionals[0] ?? "");
    const override = values["override"] === true;
    const answer = await call(override ? "override-release" : "force-release", { fence, reason });
    const next = await nextHolders(call, answer.released);
    return show({ ...answer, fence, override, next }, () =>
      [`released ${answer.released.map(escapeControlChars).join(", ")} (fence ${fence}).`, ...nextLines(next)].join(
        "\n",
      ),
    );
  },
});

type Holders = WireLockStatus["holders"];

/** The holders of the released paths after the release: the waiters that got them. */
async function nextHolders(call: ServerCaller["call"], paths: readonly string[]): Promise<Holders> {
  const found = await Promise.all(paths.slice(0, pathsMax).map((path) => call("get-lock", { path })));
  return found.flatMap((status) => (status as WireLockStatus).holders);
}

/** Maximum released paths whose next holders are shown. */
const pathsMax = 20;

function nextLines(holders: Holders): readonly string[] {
  if (holders.length === 0) return ["No owner waits for it."];
  const nowMs = systemClock.wallMs();
  return holders.map((holder) => `next: ${holderLine(holder, nowMs)}`);
}

/** A path names its grant only if it has exactly one. An operator must not release a grant that they have not seen. */
async function fenceOf(call: ServerCaller["call"], fenceOrPath: string): Promise<string> {
  if (/^[0-9]+(\.[0-9]+){1,2}$/u.test(fenceOrPath)) return fenceOrPath;
  const { holders } = await call("get-lock", { path: fenceOrPath });
  const fences = [...new Set(holders.map(({ fence }) => fence))];
  const [fence] = fences;
  if (fence === undefined)
    throw new UsageError(
      `${fenceOrPath} itself is not locked; \`holdfast locks ${fenceOrPath}\` shows the locks above and below it`,
    );
  if (fences.length > 1)
    throw new UsageError(`${fenceOrPath} has several grants; use one of the fences ${fences.join(", ")}`);
  return fence;
}
