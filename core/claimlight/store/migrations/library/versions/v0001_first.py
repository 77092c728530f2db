"""The first schema of a library."""

from alembic import op

revision = "0001"
down_revision = None

STATEMENTS = (
    """CREATE TABLE citation (
    document_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    cited_key VARCHAR,
    country VARCHAR NOT NULL,
    number VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    category VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    claims VARCHAR NOT NULL,
    passage VARCHAR NOT NULL,
    PRIMARY KEY (document_id, position)
)
 WITHOUT ROWID""",
    """CREATE INDEX citation_cited ON citation (cited_key)""",
    """CREATE TABLE class_symbol (
    document_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    scheme VARCHAR NOT NULL,
    symbol VARCHAR NOT NULL,
    inventive BOOLEAN,
    first BOOLEAN NOT NULL,
    version VARCHAR NOT NULL,
    PRIMARY KEY (document_id, position)
)
 WITHOUT ROWID""",
    """CREATE INDEX class_symbol_symbol ON class_symbol (symbol)""",
    """CREATE TABLE document (
    id INTEGER NOT NULL,
    publication VARCHAR NOT NULL,
    country VARCHAR NOT NULL,
    number VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    number_key VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    published INTEGER,
    filed INTEGER,
    priority INTEGER,
    application_country VARCHAR NOT NULL,
    application_number VARCHAR NOT NULL,
    application_key VARCHAR NOT NULL,
    applicant VARCHAR NOT NULL,
    classes VARCHAR NOT NULL,
    family VARCHAR NOT NULL,
    family_key VARCHAR NOT NULL,
    digest BLOB NOT NULL,
    text_length INTEGER NOT NULL,
    first_passage INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    source_id INTEGER NOT NULL,
    member VARCHAR NOT NULL,
    ordinal INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    dialect VARCHAR NOT NULL,
    PRIMARY KEY (id)
)""",
    """CREATE INDEX document_application ON document (application_key)""",
    """CREATE INDEX document_family ON document (family_key)""",
    """CREATE UNIQUE INDEX document_key ON document (number_key, kind)""",
    """CREATE INDEX document_published ON document (published)""",
    """CREATE TABLE family_alias (
    "key" VARCHAR NOT NULL,
    family_key VARCHAR NOT NULL,
    PRIMARY KEY ("key")
)
 WITHOUT ROWID""",
    """CREATE TABLE meta (
    "key" VARCHAR NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY ("key")
)
 WITHOUT ROWID""",
    """CREATE TABLE party (
    document_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    role VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    country VARCHAR NOT NULL,
    PRIMARY KEY (document_id, position)
)
 WITHOUT ROWID""",
    """CREATE TABLE passage (
    id INTEGER NOT NULL,
    document_id INTEGER NOT NULL,
    section VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    heading VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    claim INTEGER NOT NULL,
    parents VARCHAR NOT NULL,
    elements VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    PRIMARY KEY (id)
)""",
    """CREATE TABLE priority (
    document_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    country VARCHAR NOT NULL,
    number VARCHAR NOT NULL,
    day INTEGER,
    PRIMARY KEY (document_id, position)
)
 WITHOUT ROWID""",
    """CREATE TABLE quarantine (
    id INTEGER NOT NULL,
    source_id INTEGER NOT NULL,
    member VARCHAR NOT NULL,
    ordinal INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    dialect VARCHAR NOT NULL,
    line INTEGER NOT NULL,
    reason VARCHAR NOT NULL,
    PRIMARY KEY (id)
)""",
    """CREATE INDEX quarantine_source ON quarantine (source_id)""",
    """CREATE TABLE related (
    document_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    country VARCHAR NOT NULL,
    number VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    PRIMARY KEY (document_id, position)
)
 WITHOUT ROWID""",
    """CREATE TABLE removed (
    document_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    publication VARCHAR NOT NULL,
    PRIMARY KEY (document_id)
)""",
    """CREATE TABLE source (
    id INTEGER NOT NULL,
    path VARCHAR NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    records INTEGER NOT NULL,
    complete BOOLEAN NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (path)
)""",
    """CREATE VIRTUAL TABLE passage_fts USING fts5(
        text, content='passage', content_rowid='id',
        tokenize='porter unicode61 remove_diacritics 2')""",
    """CREATE VIRTUAL TABLE passage_vocab USING fts5vocab(passage_fts, 'row')""",
    """INSERT INTO passage_fts (passage_fts, rank) VALUES ('hashsize', 67108864)""",
    """INSERT INTO passage_fts (passage_fts, rank) VALUES ('automerge', 16)""",
    "INSERT INTO meta (key, value) VALUES ('version', 0), ('next_document', 1), ('next_passage', 1)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
