-- Everything here is a fold of the journal and may be deleted. Hashes instead of texts: rows of one size, whatever the
-- length of a key. They are the first 16 bytes of SHA-256.
CREATE TABLE keys (
  hash BLOB PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE subjects (
  hash BLOB NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (hash, position)
) STRICT, WITHOUT ROWID;

-- `complete`: every entry up to here is indexed. `begun`: rows of entries up to here may already be there. Both name a
-- batch by position and hash; if either is not in the journal, this index belongs to another history.
CREATE TABLE cover (
  name TEXT PRIMARY KEY CHECK (name IN ('complete', 'begun')),
  position INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;
