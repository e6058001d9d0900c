/**
 * Loaded before everything else by the processes of a run with a mutant (`NODE_OPTIONS=--import …`), threads and children
 * included: puts the bug that HOLDFAST_MUTANT names into its file as it is loaded.
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { allPlanted } from "./catalogue.ts";
import { planted } from "./planted-mutant.ts";

const wanted = process.env["HOLDFAST_MUTANT"];
const mutant = allPlanted.find(({ name }) => name === wanted);
if (mutant === undefined) throw new Error(`there is no mutant ${JSON.stringify(wanted)}`);
const target = pathToFileURL(join(import.meta.dirname, "..", "..", mutant.file)).href;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== target) return loaded;
    const { source } = loaded;
    const text = typeof source === "string" ? source : new TextDecoder().decode(source);
    return { ...loaded, source: planted(mutant, text) };
  },
});
