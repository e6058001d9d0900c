-- Batches that were moved to files in the folder `archive`. A segment holds whole batches, `first` to `last`; `time` and
-- `hash` are those of its last batch, `previous` is the hash before its first. `blocks` says where in the file which
-- positions start: [[first, offset, length], …]. Rows of `batches` up to the last segment's end count for nothing.
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
