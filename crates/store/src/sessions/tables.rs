//! The tables of sessions, as one step of the database's history. `docs/sessions.md` says what stands in them.

/// Foreign keys reach everything from `sessions`, so that deleting one row deletes all that belongs to it; the
/// words in `search_grams` are the exception, which the code takes out by itself.
///
/// The triggers write to another table than the one they watch, and so never start themselves or each other.
pub(crate) const TABLES: &str = "
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY NOT NULL,
    title TEXT NOT NULL DEFAULT '新会话',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0,
    is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
    metadata TEXT NOT NULL DEFAULT '{}',
    title_locked INTEGER NOT NULL DEFAULT 0 CHECK (title_locked IN (0, 1)),
    deleted_at TEXT,
    changed INTEGER NOT NULL,
    last_seq INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX IF NOT EXISTS sessions_by_change ON sessions (changed);
CREATE INDEX IF NOT EXISTS sessions_there ON sessions (changed) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS sessions_there_by_archive ON sessions (is_archived, changed) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS sessions_deleted ON sessions (changed) WHERE deleted_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS session_counts (
    deleted INTEGER NOT NULL,
    archived INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    PRIMARY KEY (deleted, archived)
);
INSERT OR IGNORE INTO session_counts VALUES (0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0);
CREATE TRIGGER IF NOT EXISTS session_added AFTER INSERT ON sessions BEGIN
    UPDATE session_counts SET sessions = sessions + 1
    WHERE deleted = (NEW.deleted_at IS NOT NULL) AND archived = NEW.is_archived;
END;
CREATE TRIGGER IF NOT EXISTS session_removed AFTER DELETE ON sessions BEGIN
    UPDATE session_counts SET sessions = sessions - 1
    WHERE deleted = (OLD.deleted_at IS NOT NULL) AND archived = OLD.is_archived;
END;
CREATE TRIGGER IF NOT EXISTS session_moved AFTER UPDATE OF deleted_at, is_archived ON sessions BEGIN
    UPDATE session_counts SET sessions = sessions - 1
    WHERE deleted = (OLD.deleted_at IS NOT NULL) AND archived = OLD.is_archived;
    UPDATE session_counts SET sessions = sessions + 1
    WHERE deleted = (NEW.deleted_at IS NOT NULL) AND archived = NEW.is_archived;
END;

CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
    content TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    execution_steps TEXT,
    metadata TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS messages_by_session ON messages (session_id, id);
CREATE INDEX IF NOT EXISTS messages_by_the_system ON messages (session_id, id) WHERE role = 'system';
CREATE TRIGGER IF NOT EXISTS message_added AFTER INSERT ON messages BEGIN
    UPDATE sessions SET message_count = message_count + 1 WHERE id = NEW.session_id;
END;
CREATE TRIGGER IF NOT EXISTS message_removed AFTER DELETE ON messages BEGIN
    UPDATE sessions SET message_count = message_count - 1 WHERE id = OLD.session_id;
END;

CREATE TABLE IF NOT EXISTS turns (
    id TEXT PRIMARY KEY NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    user_message INTEGER NOT NULL,
    assistant_message INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'ended')),
    process TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    outcome TEXT,
    reason TEXT
);
CREATE INDEX IF NOT EXISTS turns_by_session ON turns (session_id);
CREATE UNIQUE INDEX IF NOT EXISTS turns_open ON turns (session_id) WHERE state = 'open';

CREATE TABLE IF NOT EXISTS turn_steps (
    turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    call_id TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (turn_id, number)
);

CREATE TABLE IF NOT EXISTS tool_calls (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    call_id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    message_id INTEGER NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    started_at TEXT NOT NULL,
    status TEXT,
    duration_ms INTEGER,
    undo TEXT
);
CREATE INDEX IF NOT EXISTS tool_calls_by_session ON tool_calls (session_id, number);
CREATE INDEX IF NOT EXISTS tool_calls_by_turn ON tool_calls (turn_id, number);
CREATE INDEX IF NOT EXISTS tool_calls_by_tool ON tool_calls (tool, number);

CREATE TABLE IF NOT EXISTS events (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    turn_id TEXT,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session_id, first_seq)
);

CREATE TABLE IF NOT EXISTS uploads (
    id TEXT PRIMARY KEY NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    mime TEXT NOT NULL,
    size INTEGER NOT NULL,
    file TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS uploads_by_session ON uploads (session_id);

CREATE TABLE IF NOT EXISTS search_entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    message_id INTEGER
);
CREATE INDEX IF NOT EXISTS search_entries_by_message ON search_entries (session_id, message_id);
CREATE VIRTUAL TABLE IF NOT EXISTS search_grams
    USING fts5 (session, text, content = '', columnsize = 0, tokenize = 'ascii');
INSERT INTO search_grams (search_grams, rank) VALUES ('secure-delete', 1);
";

/// What came with the column `owner` of `sessions`; the owner of the installation is `''`.
pub(crate) const OWNERS: &str = "
CREATE INDEX IF NOT EXISTS sessions_there_by_owner ON sessions (owner, changed) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS sessions_there_by_owner_and_archive ON sessions (owner, is_archived, changed)
    WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS sessions_deleted_by_owner ON sessions (owner, changed) WHERE deleted_at IS NOT NULL;

DROP TRIGGER IF EXISTS session_added;
DROP TRIGGER IF EXISTS session_removed;
DROP TRIGGER IF EXISTS session_moved;
DROP TABLE IF EXISTS session_counts;
CREATE TABLE session_counts (
    owner TEXT NOT NULL,
    deleted INTEGER NOT NULL,
    archived INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    PRIMARY KEY (owner, deleted, archived)
);
INSERT INTO session_counts
    SELECT owner, deleted_at IS NOT NULL, is_archived, COUNT(*) FROM sessions GROUP BY 1, 2, 3;
CREATE TRIGGER session_added AFTER INSERT ON sessions BEGIN
    INSERT INTO session_counts VALUES (NEW.owner, NEW.deleted_at IS NOT NULL, NEW.is_archived, 1)
    ON CONFLICT DO UPDATE SET sessions = sessions + 1;
END;
CREATE TRIGGER session_removed AFTER DELETE ON sessions BEGIN
    UPDATE session_counts SET sessions = sessions - 1
    WHERE owner = OLD.owner AND deleted = (OLD.deleted_at IS NOT NULL) AND archived = OLD.is_archived;
END;
CREATE TRIGGER session_moved AFTER UPDATE OF owner, deleted_at, is_archived ON sessions BEGIN
    UPDATE session_counts SET sessions = sessions - 1
    WHERE owner = OLD.owner AND deleted = (OLD.deleted_at IS NOT NULL) AND archived = OLD.is_archived;
    INSERT INTO session_counts VALUES (NEW.owner, NEW.deleted_at IS NOT NULL, NEW.is_archived, 1)
    ON CONFLICT DO UPDATE SET sessions = sessions + 1;
END;
";

/// Messages that wait for the end of a turn.
pub(crate) const QUEUE: &str = "
CREATE TABLE IF NOT EXISTS queued_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    uploads TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS queued_by_session ON queued_messages (session_id, id);
";
