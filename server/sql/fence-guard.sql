-- Guards rows in your own Postgres with the fences of Holdfast. It refuses a writer whose lock went to another owner. The
-- check is part of the transaction of the write, so it also holds for a writer that was suspended for hours.
--
-- A fence is the text epoch.position, and .number if one entry granted several. It is compared number by number. Use only
-- fences of write locks here, because one reader must not exclude another.
CREATE TABLE IF NOT EXISTS holdfast_fences (
  resource text PRIMARY KEY,
  fence bigint[] NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- Call it first in the transaction of the write: SELECT holdfast_guard('doc/42', '1.815'). It raises an exception if the
-- resource has a later fence. Otherwise it stores this fence and blocks other writers until the transaction ends.
--
-- A stale fence has its own code, SF001. Many drivers retry serialization failures (40001), but a retry does not restore a
-- lost lock.
CREATE OR REPLACE FUNCTION holdfast_guard(guarded text, presented text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  given bigint[];
BEGIN
  IF guarded IS NULL OR guarded = '' THEN
    RAISE EXCEPTION 'not the name of a resource: %', coalesce(quote_literal(guarded), 'NULL') USING ERRCODE = '22023';
  END IF;
  IF presented IS NULL OR presented !~ '^[1-9][0-9]{0,14}\.[1-9][0-9]{0,14}(\.[1-9][0-9]{0,4})?$' THEN
    RAISE EXCEPTION 'not a fence: %', coalesce(quote_literal(presented), 'NULL') USING ERRCODE = '22023';
  END IF;
  given := string_to_array(presented, '.')::bigint[];
  INSERT INTO holdfast_fences AS known (resource, fence) VALUES (guarded, given)
  ON CONFLICT (resource) DO UPDATE SET fence = excluded.fence, seen_at = now()
  WHERE known.fence <= excluded.fence;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the fence % is stale: % has seen a later one', presented, guarded USING ERRCODE = 'SF001';
  END IF;
END
$$;
