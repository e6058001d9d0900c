/** The peer of the HTTP door: a bare Fastify that returns the body. It stores nothing and guarantees nothing. */
import Fastify from "fastify";

const app = Fastify();
app.post("/v1/commands", async (request) => request.body);
const url = await app.listen({ host: "127.0.0.1", port: 0 });
process.once("disconnect", () => void app.close());
process.send?.({ url });
