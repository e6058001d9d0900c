-- A turn lasts for several appends, each with a transaction of its own. So the lock of the turn is held by a connection that
-- does nothing else, and is good manners only. What guards the journal is the primary key: whoever appends after the same
-- predecessor inserts the same first position, and waits there until the other one is durable or gone.
DROP FUNCTION take_turn(text, bigint, text, bigint, bigint);
DROP FUNCTION append_batch(text, bigint, text, integer, bigint, bigint, text, text, bigint, bigint);

-- Appends a batch after its exact predecessor, or says what came after that. `turn` says that somebody else has the turn, or
-- waits for it; `used` that one of the keys may have been used before. Keys of entries after `keys_from` are known to whoever
-- asks, those of all others must be in the table.
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
  -- Nodes that take no turns may get in each other's way, but not in the way of one that has waited for its turn.
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
