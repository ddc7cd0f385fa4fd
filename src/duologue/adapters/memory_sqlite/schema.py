"""The memory's tables."""

from typing import Final

from duologue.sqlite.database import META, Kind

# `same` is what two memories have in common that say the same. What is in `terms` leads to `items` by its row.
KIND: Final = Kind(
    application_id=0x44554F4D,  # DUOM
    version=1,
    tables=f"""
{META}
CREATE TABLE people(no INTEGER PRIMARY KEY, subject TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE off(whose TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY(whose, name)) STRICT, WITHOUT ROWID;
CREATE TABLE items(
    no INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT NOT NULL UNIQUE, person INTEGER NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL, importance REAL NOT NULL, key TEXT NOT NULL, same TEXT NOT NULL, session_id TEXT NOT NULL,
    turn INTEGER NOT NULL, created_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL, recalled_ms INTEGER NOT NULL,
    recalls INTEGER NOT NULL, expires_ms INTEGER) STRICT;
CREATE UNIQUE INDEX items_same ON items(person, same);
CREATE INDEX items_key ON items(person, key) WHERE key <> '';
CREATE INDEX items_latest ON items(person, at_ms, no);
CREATE INDEX items_important ON items(person, importance);
CREATE INDEX items_expire ON items(expires_ms) WHERE expires_ms IS NOT NULL;
CREATE TABLE sources(
    item INTEGER NOT NULL, session_id TEXT NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY(item, session_id))
    STRICT, WITHOUT ROWID;
CREATE INDEX sources_session ON sources(session_id);
CREATE TABLE vectors(item INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL) STRICT;
CREATE TABLE places(
    session_id TEXT PRIMARY KEY, person INTEGER NOT NULL, seq INTEGER NOT NULL, turn INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE INDEX places_person ON places(person);
CREATE TABLE untold(
    number INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, turn INTEGER NOT NULL, memory_id TEXT NOT NULL,
    kind TEXT NOT NULL, importance REAL NOT NULL, superseded TEXT NOT NULL, count INTEGER NOT NULL) STRICT;
CREATE INDEX untold_session ON untold(session_id);
CREATE VIRTUAL TABLE terms USING fts5(words, tokenize = 'unicode61 remove_diacritics 0 tokenchars _');
INSERT INTO terms(terms, rank) VALUES('secure-delete', 1);
""",
)
