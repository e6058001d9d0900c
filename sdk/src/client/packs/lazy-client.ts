/**
 * A client that is loaded at its first call. Its members are functions that return promises, alone or in groups, so
 * a caller sees no difference.
 */
export function lazyClient<PackClient extends object>(load: () => Promise<PackClient>): PackClient {
  let loaded: Promise<PackClient> | undefined;
  const memberAt = (path: readonly string[]): object =>
    new Proxy(() => undefined, {
      // A promise that resolves with this object looks for `then`, which no client has.
      get: (_target, name) => (typeof name === "symbol" || name === "then" ? undefined : memberAt([...path, name])),
      apply: (_target, _this, args: readonly unknown[]) => {
        loaded ??= load();
        return loaded.then((client) => functionAt(client, path)(...args));
      },
    });
  return memberAt([]) as PackClient;
}

function functionAt(client: object, path: readonly string[]): (...args: readonly unknown[]) => unknown {
  const found = path.reduce<unknown>((member, name) => (member as Record<string, unknown>)[name], client);
  if (typeof found !== "function") throw new TypeError(`The client has no function ${path.join(".")}`);
  return found as (...args: readonly unknown[]) => unknown;
}
