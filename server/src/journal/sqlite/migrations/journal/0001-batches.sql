-- One row per batch. `lines` comes last, so that looking at the other columns never touches its overflow pages.
CREATE TABLE batches (
  first INTEGER PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0),
  time INTEGER NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  lines TEXT NOT NULL
) STRICT;

-- What this file is: the format of `lines` and the space it holds.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
