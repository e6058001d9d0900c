/**
 * The page for language models: what an agent must know to work with others, in at most 2 kB. The whole API has hundreds
 * of kilobytes, which would fill the context of a model.
 */
export const llmsText = `# Holdfast

Holdfast coordinates agents that change the same things. Take a lock before you read what you want to change, write, and
release the lock. A lock around the write alone protects nothing.

## Commands (in the project folder; set HOLDFAST_NAME to your name first)

- holdfast take PATH --purpose "why"    acquire a lock and return. Exit 0: you have it. Exit 120: the output names the holder.
- holdfast wait PATH --purpose "why"    the same, in the queue. Exit 120: still waiting; run it again to keep your place.
- holdfast ask PATH --reason "why"      ask the holder to release it.
- holdfast who [PATH]                   who holds PATH, or all agents.
- holdfast release PATH                 release your lock when you are done.

Each command of your name keeps your locks for another hour. A lock on src covers everything below src. A path is not a pattern.
Exit 122: no server runs; report it, and do not continue without the lock.

## Values

- holdfast get plan/42                               a versioned value with its version
- holdfast put plan/42 '{"a": 1}' --expect 3         replace version 3. Refused: read again, decide again.
- holdfast patch plan/42 '{"a": 2}' --expect 3       change members

## HTTP

POST /v1/commands {"operation": "acquire-lock", "input": {"paths": ["src/a.ts"], "owner_id": "you", "ttl_seconds": 600}}
A refusal has "code", "detail" and "next": do what "next" says. /openapi.json describes every operation.
`;
