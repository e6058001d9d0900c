-- One row per batch. The key is the position of its first entry. No row holds the head, because every append would update
-- it. One long transaction anywhere in the database would then let its dead versions accumulate.
--
-- `lines` is text and not bytea. JSON holds neither an unescaped NUL nor an unescaped lone surrogate, so any UTF-8 database
-- can store it. Text is sent without conversion.
CREATE TABLE batches (
  space text COLLATE "C" NOT NULL,
  first bigint NOT NULL,
  count integer NOT NULL CHECK (count > 0),
  time bigint NOT NULL,
  previous text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  lines text NOT NULL,
  PRIMARY KEY (space, first)
);
-- Compression costs more here than it saves.
ALTER TABLE batches ALTER COLUMN lines SET STORAGE EXTERNAL;

CREATE TABLE meta (
  space text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (space, name)
);

-- The following tables are folds of the batches and may be deleted.
--
-- They hold hashes instead of texts, so all rows have one size, regardless of the length of a key. A hash is the first
-- 16 bytes of SHA-256.
CREATE TABLE keys (
  space text COLLATE "C" NOT NULL,
  hash uuid NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (space, hash)
);

CREATE TABLE subjects (
  space text COLLATE "C" NOT NULL,
  hash uuid NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (space, hash, position)
);

-- `keys` and `subjects` hold every entry up to this position.
CREATE TABLE index_cover (
  space text COLLATE "C" PRIMARY KEY,
  position bigint NOT NULL,
  hash text COLLATE "C" NOT NULL
);

-- The newest two checkpoints of a space.
CREATE TABLE checkpoints (
  space text COLLATE "C" NOT NULL,
  generation bigint NOT NULL,
  position bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  time bigint NOT NULL,
  rules integer NOT NULL,
  state_hash text NOT NULL,
  PRIMARY KEY (space, generation)
);

-- A checkpoint holds, for each row, the newest version up to its generation. A version without `line` deletes the row.
-- `key` is stored as JSON, because it may hold a NUL.
CREATE TABLE checkpoint_rows (
  space text COLLATE "C" NOT NULL,
  table_name text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  generation bigint NOT NULL,
  line text,
  PRIMARY KEY (space, table_name, key, generation)
);
CREATE INDEX checkpoint_rows_by_generation ON checkpoint_rows (space, generation);

-- Returns the whole batches after a head, at least one if there is one. The kind of the first row is the result:
-- `followed`, with the position of the newest entry, or `diverged`.
CREATE FUNCTION follow_batches(
  of_space text, after_position bigint, after_hash text, entries_max bigint, bytes_max bigint
) RETURNS TABLE (kind text, first bigint, count integer, "time" bigint, previous text, hash text, lines text)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  batch_end bigint;
  batch_hash text;
  newest bigint;
BEGIN
  SELECT b.first + b.count - 1, b.hash INTO batch_end, batch_hash
    FROM batches b WHERE b.space = of_space AND b.first <= after_position ORDER BY b.first DESC LIMIT 1;
  IF coalesce(batch_end, 0) <> after_position OR coalesce(batch_hash, repeat('0', 64)) <> after_hash THEN
    RETURN QUERY SELECT 'diverged', 0::bigint, 0, 0::bigint, '', '', '';
    RETURN;
  END IF;
  SELECT b.first + b.count - 1 INTO newest FROM batches b WHERE b.space = of_space ORDER BY b.first DESC LIMIT 1;
  RETURN QUERY SELECT 'followed', coalesce(newest, 0), 0, 0::bigint, '', '', '';
  RETURN QUERY
    SELECT 'batch', p.first, p.count, p.time, p.previous, p.hash, p.lines
    FROM (
      SELECT n.*, sum(n.count) OVER w - n.count AS entries_before,
             sum(octet_length(n.lines)) OVER w - octet_length(n.lines) AS bytes_before
      FROM (
        SELECT * FROM batches b WHERE b.space = of_space AND b.first > after_position ORDER BY b.first LIMIT 1000
      ) n
      WINDOW w AS (ORDER BY n.first)
    ) p
    WHERE p.entries_before < entries_max AND p.bytes_before < bytes_max
    ORDER BY p.first;
END
$$;

-- Appends a batch after its exact predecessor, or returns the batches after that predecessor. It returns `turn`
-- if another node has the turn or waits for it. It returns `used` if an earlier entry may have used one of the keys. The caller has checked the entries after
-- `keys_from` itself. The table must hold the keys of all entries up to `keys_from`.
--
-- A turn lasts for several appends, each with its own transaction, so another connection holds the lock of the turn. That
-- lock only avoids useless attempts. The primary key guards the journal. Appends after the same predecessor insert the
-- same first position. The second one waits until the first is durable or rolled back.
CREATE FUNCTION append_batch(
  of_space text, after_position bigint, after_hash text, entry_count integer, start_time bigint, end_time bigint,
  own_hash text, own_lines text, entries_max bigint, bytes_max bigint,
  has_turn boolean, unused_keys uuid[], keys_from bigint
) RETURNS TABLE (kind text, first bigint, count integer, "time" bigint, previous text, hash text, lines text)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  head_position bigint;
  head_hash text;
  head_time bigint;
BEGIN
  -- Nodes without a turn may compete with each other, but not with a node that has waited for its turn.
  IF NOT has_turn AND NOT pg_try_advisory_xact_lock_shared(hashtextextended('holdfast turn ' || of_space, 0)) THEN
    RETURN QUERY SELECT 'turn', 0::bigint, 0, 0::bigint, '', '', '';
    RETURN;
  END IF;
  SELECT b.first + b.count - 1, b.hash, b.time INTO head_position, head_hash, head_time
    FROM batches b WHERE b.space = of_space ORDER BY b.first DESC LIMIT 1;
  IF coalesce(head_position, 0) = after_position AND coalesce(head_hash, repeat('0', 64)) = after_hash THEN
    IF start_time < head_time THEN
      RAISE EXCEPTION 'The batch starts at time %, before the journal''s last time %.', start_time, head_time
        USING ERRCODE = '22023';
    END IF;
    IF cardinality(unused_keys) > 0 AND (
      coalesce((SELECT c.position FROM index_cover c WHERE c.space = of_space), 0) < keys_from
      OR EXISTS (SELECT FROM keys k WHERE k.space = of_space AND k.hash = ANY (unused_keys))
    ) THEN
      RETURN QUERY SELECT 'used', 0::bigint, 0, 0::bigint, '', '', '';
      RETURN;
    END IF;
    INSERT INTO batches (space, first, count, time, previous, hash, lines)
      VALUES (of_space, after_position + 1, entry_count, end_time, after_hash, own_hash, own_lines)
      ON CONFLICT DO NOTHING;
    IF FOUND THEN
      RETURN QUERY SELECT 'appended', 0::bigint, 0, 0::bigint, '', '', '';
      RETURN;
    END IF;
  END IF;
  RETURN QUERY SELECT * FROM follow_batches(of_space, after_position, after_hash, entries_max, bytes_max);
END
$$;
