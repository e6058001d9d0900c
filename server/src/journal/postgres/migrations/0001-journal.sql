-- One row per batch, found by the position of its first entry. There is no row that holds the head: it would be written by
-- every append, and one long transaction anywhere in the database would let its dead versions pile up.
--
-- `lines` is text and not bytea: it is JSON, in which neither a NUL nor half a surrogate pair can stand unescaped, so any
-- UTF-8 database can hold it, and text crosses the wire as it is.
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
-- Compressing costs more here than it saves.
ALTER TABLE batches ALTER COLUMN lines SET STORAGE EXTERNAL;

CREATE TABLE meta (
  space text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (space, name)
);

-- Everything from here on is a fold of the batches and may be deleted.
--
-- Hashes instead of texts: rows of one size, whatever the length of a key. They are the first 16 bytes of SHA-256.
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

-- Every entry up to here is in `keys` and `subjects`.
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

-- A checkpoint holds of each row the newest version up to its generation; no line: the row is gone. `key` is written as
-- JSON, because it may hold a NUL.
CREATE TABLE checkpoint_rows (
  space text COLLATE "C" NOT NULL,
  table_name text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  generation bigint NOT NULL,
  line text,
  PRIMARY KEY (space, table_name, key, generation)
);
CREATE INDEX checkpoint_rows_by_generation ON checkpoint_rows (space, generation);

-- What came after a head, the first row saying what the rest is: `followed` with the position of the newest entry, or
-- `diverged`. Whole batches, at least one if there is one.
CREATE FUNCTION follow_batches(
  of_space text, after_position bigint, after_hash text, entries_max bigint, bytes_max bigint
) RETURNS TABLE (kind text, first bigint, count integer, "time" bigint, previous text, hash text, lines text)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  joint_position bigint;
  joint_hash text;
  newest bigint;
BEGIN
  SELECT b.first + b.count - 1, b.hash INTO joint_position, joint_hash
    FROM batches b WHERE b.space = of_space AND b.first <= after_position ORDER BY b.first DESC LIMIT 1;
  IF coalesce(joint_position, 0) <> after_position OR coalesce(joint_hash, repeat('0', 64)) <> after_hash THEN
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

-- Appends a batch after its exact predecessor, or returns what came after that. `turn`: another node has the turn, or
-- waits for it. `used`: one of the keys may have been used before. The caller knows the keys of entries after `keys_from`;
-- all others must be in the table.
--
-- A turn lasts for several appends, each with its own transaction, so another connection holds the lock of the turn. That
-- lock only avoids useless attempts. The primary key guards the journal: appends after the same predecessor insert the
-- same first position, and the second one waits until the first is durable or gone.
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
