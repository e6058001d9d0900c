-- Everything here is a fold of the journal and may be deleted.
--
-- A row of the state has a version for each checkpoint that changed it. A version without `line` deletes the row. A
-- checkpoint holds, for each row, the last version up to its generation. It is written in many small transactions and
-- becomes visible as a whole, when its generation is removed from `unfinished`.
CREATE TABLE versions (
  table_name TEXT NOT NULL,
  key TEXT NOT NULL,
  generation INTEGER NOT NULL,
  line TEXT,
  PRIMARY KEY (table_name, key, generation)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
  generation INTEGER PRIMARY KEY,
  position INTEGER NOT NULL,
  hash TEXT NOT NULL,
  time INTEGER NOT NULL,
  rules INTEGER NOT NULL,
  state_hash TEXT NOT NULL
) STRICT;

-- Generations that were begun and not committed. Readers ignore their versions, and the sweep deletes them.
CREATE TABLE unfinished (
  generation INTEGER PRIMARY KEY
) STRICT;
