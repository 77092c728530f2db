"""Small grants, archives of them, and what is read of a file: for the tests of hostile and broken files."""

import zipfile

from claimlight.formats import read_source
from claimlight.tasks import TaskContext

GRANT = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<us-patent-grant lang="EN"><us-bibliographic-data-grant>'
    "<publication-reference><document-id><country>US</country><doc-number>{number}</doc-number>"
    "<kind>B2</kind><date>20200101</date></document-id></publication-reference>"
    "<invention-title>{title}</invention-title></us-bibliographic-data-grant>\n"
    '<description><p num="0001">{text}</p></description></us-patent-grant>\n'
)


def grant(number=9000001, text="A thing.", title="Thing"):
    return GRANT.format(number=number, text=text, title=title).encode()


def read(path, **options):
    return list(read_source(path, TaskContext(), **options))


def only(records):
    (record,) = records
    return record


def pack(path, members, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path
