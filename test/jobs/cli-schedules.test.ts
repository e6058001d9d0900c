/** The commands about schedules, as people and programs use them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withCliServer } from "../scenario/cli-terminal.ts";

test(
  "`schedules` creates, lists, shows, pauses, resumes and deletes schedules, and names the next step",
  withCliServer(async ({ cli, cliJson }) => {
    assert.match((await cli("schedules")).out, /^There are no schedules\. Create one: holdfast schedules put/u);
    const put = ["schedules", "put", "nightly", "30 2 * * *", "report.build", '{"a": 1}', "--time-zone"];
    const made = await cli([...put, "Europe/Berlin", "--project", "p1", "--attempts", "2"]);
    assert.match(made.out, /^nightly is created\. Its next run is at .*T0[01]:30:00\.000Z \(in .*\)\.\n$/u);
    assert.match((await cli([...put, "UTC", "--paused"])).out, /^nightly is replaced\. It is paused\.\n$/u);
    await cli(["schedules", "put", "poll", "@hourly", "feed", "--overlap", "queue", "--catch-up", "none"]);
    const list = (await cli("schedules")).out;
    assert.match(list, /^SCHEDULE +TYPE +CRON +TIME ZONE +NEXT +LAST RUN$/mu);
    assert.match(list, /^nightly +report\.build +30 2 \* \* \* +UTC +paused +-$/mu);
    assert.match(list, /^poll +feed +@hourly +UTC +in .* +-$/mu);
    assert.match((await cli("schedules --type nothing")).out, /^There are no schedules/u);
    const { items } = await cliJson("schedules --type feed");
    const [poll] = items as { readonly overlap: string; readonly catch_up: string }[];
    assert.deepEqual([poll?.overlap, poll?.catch_up], ["queue", "none"]);

    assert.match((await cli("schedules resume nightly")).out, /^nightly: Its next run is at /u);
    const shown = (await cli("schedules nightly")).out;
    assert.match(shown, /^nightly\n {2}times +30 2 \* \* \* in UTC\n {2}next +\d{4}-/u);
    assert.match(shown, /job +\{"type":"report\.build","payload":\{"a":1\}\}/u);
    assert.match((await cli("schedules pause nightly")).out, /^nightly: It is paused\./u);
    assert.match((await cli("schedules delete nightly")).out, /^nightly is deleted\./u);
    assert.match((await cli("schedules nightly")).err, /No such schedule \(nightly\)/u);
  }),
);

test(
  "`schedules put` refuses a bad expression, time zone, rule, payload and option, and creates nothing",
  withCliServer(async ({ cli }) => {
    const put = (...args: readonly string[]) => cli(["schedules", "put", ...args]);
    assert.match((await put("s", "61 * * * *", "a")).err, /jobs\.cron_invalid/u);
    assert.match((await put("s", "0 0 31 2 *", "a")).err, /no date matches it/u);
    assert.match((await put("s", "@daily", "a", "--time-zone", "Mars/Base")).err, /No such time zone \(Mars\/Base\)/u);
    const foreign = await put("s", "@daily", "a", "--lock", "project/p/map/m", "--project", "q");
    assert.match(foreign.err, /in another project \(projects: p\)/u);
    assert.match((await put("s", "@daily", "a", "--overlap", "both")).err, /--overlap must be skip or queue/u);
    assert.match((await put("s", "@daily", "a", "--catch-up", "all")).err, /--catch-up must be last or none/u);
    assert.match((await put("s", "@daily", "a", "{bad")).err, /PAYLOAD is not JSON/u);
    assert.match((await put("s", "@daily", "Bad Type")).err, /\/job\/type has the wrong form/u);
    assert.match((await put("s", "@daily", "a", "--priority", "101")).err, /priority/u);
    assert.match((await put("s", "@daily")).err, /TYPE/u);
    assert.match((await cli("schedules s --limit 3")).err, /leave out the ID/u);
    assert.match((await cli("schedules pause s")).err, /No such schedule \(s\)/u);
    assert.match((await cli("schedules")).out, /^There are no schedules/u);
  }),
);
