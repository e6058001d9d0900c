/**
 * A node of a build with newer rules than this one. Its arguments are the data folder, the port, the journal and the
 * token of the operator. The rules decide alike, so only their number differs.
 */
import { serve } from "../../server/src/assembly/serve.ts";
import { knownRules } from "../../server/src/assembly/open.ts";

const [data = "", port = "", journal = "", operatorToken = ""] = process.argv.slice(2);
const rules = [...knownRules, knownRules.length + 1];
const options = { data, host: "127.0.0.1", port: Number(port), journal: { journal }, operatorToken, rules };
const running = await serve({ ...options, report: () => undefined });
process.once("SIGTERM", () => {
  void running.close().then(() => process.exit(0));
});
console.log('{"event":"up"}');
