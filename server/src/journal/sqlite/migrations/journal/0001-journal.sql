-- One row per batch. `lines` is the last column, so a read of the other columns never touches its overflow pages.
CREATE TABLE batches (
  first INTEGER PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0),
  time INTEGER NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  lines TEXT NOT NULL
) STRICT;

-- Named values about this file, such as the format of `lines` and the name of the space.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Batches that were moved to files in the folder `archive`. A segment holds whole batches, `first` to `last`. `time` and
-- `hash` are those of its last batch, `previous` is the hash before its first. `blocks` maps positions to offsets in the
-- file: [[first, offset, length], …]. Rows of `batches` up to the end of the last segment are ignored.
CREATE TABLE segments (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  time INTEGER NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  file TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  blocks TEXT NOT NULL
) STRICT;
