/** Holdfast as a separate process, on SQLite or on a shared journal: `node bench/processes/job-server.ts FOLDER [POSTGRES]`. */
import { serve } from "../../server/src/assembly/serve.ts";

const [, , data = "", journal] = process.argv;
const shared = journal === undefined ? {} : { journal: { journal } };
const serving = await serve({ data, host: "127.0.0.1", port: 0, ...shared });
process.once("disconnect", () => void serving.close());
process.send?.({ url: serving.url });
