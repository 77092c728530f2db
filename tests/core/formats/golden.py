"""What the golden files of the formats hold; run it to write them anew.

    python tests/core/formats/golden.py            the invented samples
    python tests/core/formats/golden.py --real     digests of the real files, where they are at hand

Look at the difference before committing it: a golden file is a promise.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import os
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from claimlight.formats import SourceReader  # noqa: E402
from claimlight.tasks import TaskContext  # noqa: E402
from claimlight.types import Patent, Record, Related  # noqa: E402

SAMPLES = HERE / "samples"
GOLDEN_REAL = HERE / "golden_real.json"
REAL_FILES = (
    "us-grant-v4/ipg050104.small.xml",
    "us-grant-v4/v4-0-B2.xml",
    "us-grant-v4/ipg070102.small.xml",
    "us-grant-v4/ipg120327.18.xml",
    "us-grant-v4/US08930553.xml",
    "us-grant-v4/v4-5-B1.xml",
    "us-grant-v4/v4-5-B2.xml",
    "us-grant-v4/ipgb20221025.xml",
    "us-application-v4/US20050004437A1.xml",
    "us-application-v4/v4-0-A1.xml",
    "us-application-v4/v4-0-A2_1.xml",
    "us-application-v4/ipa061228.one.xml",
    "us-application-v4/ipa130117.one.xml",
    "us-application-v4/v4-4-A1.xml",
    "us-application-v4/v4-4-A2.xml",
    "us-application-v4/v4-5-A1.xml",
    "us-application-v4/v4-5-A2.xml",
    "ep/v1-0-A1.xml",
    "ep/v1-0-B1.xml",
    "ep/v1-0-B2.xml",
    "ep/v1-01-A1.xml",
    "ep/v1-01-A2.xml",
    "ep/v1-1-A1.xml",
    "ep/v1-1-A2.xml",
    "ep/v1-1-B1.xml",
    "ep/v1-1-B2.xml",
    "ep/v1-2-A1.xml",
    "ep/v1-2-A2.xml",
    "ep/v1-2-B2.xml",
    "ep/v1-3-A2.xml",
    "ep/v1-3-B1.xml",
    "ep/v1-3-B2.xml",
    "ep/v1-4-A1.xml",
    "ep/v1-4-A1-1.xml",
    "ep/v1-4-A2.xml",
    "ep/v1-4-B1.xml",
    "ep/v1-5-A1.xml",
    "ep/v1-5-A2.xml",
    "ep/v1-5-B1.xml",
    "ep/v1-5-B2.xml",
    "ep/v1-5-1-A1.xml",
    "ep/v1-5-1-A1-1.xml",
    "ep/v1-5-1-A1-2.xml",
    "ep/v1-5-1-B1.xml",
    "ep/v1-5-1-B2.xml",
    "marec/EP-1000000-A1.xml",
    "marec/EP-1000000-B1.xml",
    "marec/EP-1000006-B1.xml",
    "marec/JP-10000001-A.xml",
    "marec/US-H1-H.xml",
    "marec/WO-1978000001-A1.xml",
    "docdb/AP-1206-A_302101161.xml",
    "docdb/DE-backfile.xml",
    "docdb/WO-2022259205-A1_544370561.xml",
    "docdb/WO-2023012807-A1_507242069.xml",
    "docdb/YU-6701-A_381353354.xml",
    "ops/biblio_example.xml",
    "ops/biblio_example_2.xml",
    "ops/biblio_example_3.xml",
    "ops/biblio_example_4.xml",
    "ops/claims_example.xml",
    "ops/claims_example_2.xml",
    "ops/description_example.xml",
    "ops/ep1000000_abstract_result.xml",
    "ops/ep1000000_full_cycle_result.xml",
    "ops/family_input.xml",
    "ops/image_example.xml",
    "zip/ipgb20221025_wk43.zip",
    "us-pap/US20010000044A1.xml",
    "us-pap/US20010000943A1.xml",
    "us-pap/pa040101.two.xml",
    "us-pap/v1-5-A1_1.xml",
    "us-pap/v1-5-A1_2.xml",
    "us-st32/pg020507ten.xml",
    "us-st32/v2-5-B1.xml",
    "us-st32/v2-5-B2.xml",
    "us-st32/v2-5-S1.xml",
    "us-st32-sgml/US06336130.xml",
    "us-st32-sgml/US06337117.xml",
    "us-st32-sgml/USD435854S1.xml",
    "us-greenbook/TXT-sample-2",
    "us-greenbook/US03932709.greenbook",
    "us-greenbook/US03937375.greenbook",
    "us-greenbook/US04347903.greenbook",
)


def records_of(path: Path) -> list[Record]:
    return list(SourceReader(path, TaskContext()))


def plain(value):
    """A record as JSON, without the path that differs from machine to machine."""
    if dataclasses.is_dataclass(value):
        kind = type(value).__name__
        fields = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        if kind == "Source":
            del fields["path"]
        if kind == "PublicationNumber":
            return str(value)
        return {"record": kind, **fields} if kind in {"Patent", "Quarantined", "Skipped"} else fields
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def digested(record: Record):
    """Counts, identifiers, dates and symbols of a real patent, and digests of its texts."""
    if not isinstance(record, Patent):
        return plain(record)
    return {
        "publication": str(record.publication),
        "published": plain(record.published),
        "application": str(record.application),
        "filed": plain(record.filed),
        "language": record.language,
        "family": record.family,
        "priorities": [plain(item) for item in record.priorities],
        "related": [_relation(item) for item in record.related],
        "symbols": [f"{c.scheme}:{c.symbol}:{c.inventive}:{c.first}:{c.version}" for c in record.classes],
        "titles": [item.language for item in record.titles],
        "counts": {
            "abstracts": len(record.abstracts),
            "claims": len(record.claims),
            "independent": sum(1 for claim in record.claims if not claim.parents),
            "elements": sum(len(claim.elements) for claim in record.claims),
            "paragraphs": len(record.description),
            "citations": len(record.citations),
            "parties": len(record.parties),
        },
        "sections": sorted({str(item.section) for item in record.description}),
        "sha256": {
            "front": _sha(plain(record.titles), plain(record.citations), plain(record.parties)),
            "abstracts": _sha(plain(record.abstracts)),
            "claims": _sha(plain(record.claims)),
            "description": _sha(plain(record.description)),
        },
    }


def _relation(item: Related) -> str:
    of = f"of {item.of}" if item.of else ""
    return " ".join(filter(None, (item.relation, str(item.number), plain(item.date), of)))


def _sha(*values) -> str:
    text = json.dumps(values, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def sample_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix != ".json")


def dump(value) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    if "--real" in sys.argv:
        default = HERE.parents[3] / "shared" / "data"
        root = Path(os.environ.get("CLAIMLIGHT_SHARED_DATA", default)) / "xml"
        found = {name: [digested(record) for record in records_of(root / name)] for name in REAL_FILES}
        GOLDEN_REAL.write_text(dump(found), encoding="utf-8")
        return
    for folder in sorted(SAMPLES.iterdir()):
        for path in sample_files(folder):
            golden = path.with_name(path.name + ".json")
            golden.write_text(dump([plain(record) for record in records_of(path)]), encoding="utf-8")


if __name__ == "__main__":
    main()
