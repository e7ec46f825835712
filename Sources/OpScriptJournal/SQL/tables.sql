-- The tables of a journal. Entries have no index: a run reads them once, and an index would be the larger part of
-- writing them.
CREATE TABLE runs(
    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, script TEXT, pid INTEGER, begun INTEGER, ended INTEGER,
    outcome TEXT, good INTEGER);
CREATE TABLE entries(
    id INTEGER PRIMARY KEY, key BLOB NOT NULL, tag BLOB NOT NULL, run INTEGER NOT NULL, work TEXT, name TEXT,
    parts BLOB, recording TEXT, state INTEGER NOT NULL, begun INTEGER, ended INTEGER, result BLOB,
    resultfile TEXT, error TEXT, files BLOB, complete INTEGER NOT NULL, reason TEXT);
CREATE TABLE files(
    path TEXT PRIMARY KEY, device INTEGER, inode INTEGER, size INTEGER, modified INTEGER, changed INTEGER,
    readat INTEGER, digest BLOB) WITHOUT ROWID;
CREATE TABLE depfiles(path TEXT PRIMARY KEY, inputs BLOB) WITHOUT ROWID;
