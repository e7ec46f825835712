-- The tables of a journal. Entries have no index: a run reads them once, and an index would be the larger part of
-- writing them. SQLite notices damage of its own structures; checksums are for what the rows say.
CREATE TABLE runs(
    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, firstentry INTEGER NOT NULL, nextentry INTEGER NOT NULL,
    script TEXT, folder TEXT, again BLOB, pid INTEGER, begun INTEGER, ended INTEGER, outcome TEXT, good INTEGER,
    checksum INTEGER NOT NULL);
CREATE TABLE entries(
    id INTEGER PRIMARY KEY, key BLOB NOT NULL, kind BLOB NOT NULL, number INTEGER NOT NULL, run INTEGER NOT NULL,
    work TEXT, name TEXT, parts BLOB, recording TEXT, state INTEGER NOT NULL, begun INTEGER, ended INTEGER,
    result BLOB, resultsum INTEGER, resultfile TEXT, error TEXT, files BLOB, complete INTEGER NOT NULL, reason TEXT,
    checksum INTEGER NOT NULL);
CREATE TABLE files(
    path TEXT PRIMARY KEY, device INTEGER, inode INTEGER, size INTEGER, modified INTEGER, changed INTEGER,
    readat INTEGER, digest BLOB) WITHOUT ROWID;
CREATE TABLE depfiles(path TEXT PRIMARY KEY, inputs BLOB) WITHOUT ROWID;
