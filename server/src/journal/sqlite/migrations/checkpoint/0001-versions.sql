-- Everything here is a fold of the journal and may be deleted.
--
-- A row of the state has a version for each checkpoint that changed it; no `line`: the row is gone. What a checkpoint
-- holds is, for each row, its last version up to the checkpoint's generation. So a checkpoint is written in many small
-- transactions and still appears whole or not at all, when its generation stops being unfinished.
CREATE TABLE versions (
  table_name TEXT NOT NULL,
  key TEXT NOT NULL,
  generation INTEGER NOT NULL,
  line TEXT,
  PRIMARY KEY (table_name, key, generation)
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
  generation INTEGER PRIMARY KEY,
  position INTEGER NOT NULL,
  hash TEXT NOT NULL,
  time INTEGER NOT NULL,
  rules INTEGER NOT NULL,
  state_hash TEXT NOT NULL
) STRICT;

-- Generations that were begun and not committed. Their versions count for nothing and are swept away.
CREATE TABLE unfinished (
  generation INTEGER PRIMARY KEY
) STRICT;
