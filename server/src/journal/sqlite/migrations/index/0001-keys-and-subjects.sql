-- Everything here is a fold of the journal and may be deleted. The tables hold hashes instead of texts, so all rows have
-- one size, regardless of the length of a key. A hash is the first 16 bytes of SHA-256.
CREATE TABLE keys (
  hash BLOB PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE subjects (
  hash BLOB NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (hash, position)
) STRICT, WITHOUT ROWID;

-- The index holds every entry up to the batch `complete`. It may hold rows of entries up to the batch `begun`.
-- Both identify a batch by position and hash. If either is not in the journal, this index belongs to another history.
CREATE TABLE cover (
  name TEXT PRIMARY KEY CHECK (name IN ('complete', 'begun')),
  position INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;
