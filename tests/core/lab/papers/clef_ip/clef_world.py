"""An invented CLEF-IP: topics, applications, judgements and a collection in exactly the published forms."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from claimlight.text.words import content_words

WORDS = content_words(
    "damper absorber viscous bicycle kettle handle spout wheel frame lamp brake lid steam "
    "whistle reflector battery spring hub spoke"
)

FIRST = "A bicycle with a frame, a wheel and a viscous damper."
COLLECTION = {
    "EP-1000001-A1": {
        "abstract": ["A bicycle has a viscous damper."],
        "description": [
            "Bicycles are old.",
            "The damper is viscous and sits on the frame.",
            "A wheel spins.",
        ],
        "claims": ["1. A bicycle with a viscous damper.", "2. A bicycle as in claim 1 with a brake."],
        "ipc": ["B62K 25/04", "F16F 9/10"],
    },
    "EP-1000002-B1": {
        "description": ["A kettle boils.", "Steam leaves the spout.", "The steam drives a whistle."],
        "claims": {
            "DE": ["Kessel mit einer Pfeife."],
            "EN": ["A kettle with a whistle in its spout.", "A kettle as claimed in claim 1 with a lid."],
            "FR": ["Bouilloire."],
        },
        "ipc": ["A47J 27/21"],
    },
    "WO-2001000003-A1": {
        "abstract": ["A lamp has a reflector.", "The battery of the lamp is small."],
        "description": ["A lamp with a reflector and a battery.", "", "The lamp hangs on a handle."],
        "claims": ["A lamp with a reflector."],
        "ipc": ["F21L 4/00"],
    },
    "EP-1000004-A1": {
        "description": ["A frame of a bicycle with a spring.", "A hub and a spoke."],
        "claims": ["A bicycle frame with a spring."],
        "ipc": ["B62K 25/20"],
    },
    "EP-1000005-A1": {
        "description": ["A kettle with a handle and a lid."],
        "claims": [],
        "ipc": ["A47J 36/00"],
    },
    "EP-1000006-A1": {
        "lang": "DE",
        "description": ["Ein Kessel mit Pfeife."],
        "claims": ["Kessel."],
        "ipc": ["A47J 27/21"],
    },
    "EP-1000007-A1": {
        "description": ["A bicycle with a frame, a wheel and a viscous damper; a brake."],
        "claims": [FIRST],
        "ipc": ["B62K 25/04"],
    },
    "EP-1000008-A1": {"description": ["A brake for a wheel."], "claims": ["A brake."], "ipc": ["F16D 55/00"]},
}
TOPIC_FILES = {
    "EP-1700001-A1": {
        "description": ["Bicycles."],
        "claims": [
            FIRST,
            "A bicycle as claimed in claim 1 with a spring.",
            "A kettle.",
            "A bicycle as claimed in claim 2 with a brake.",
        ],
        "ipc": ["B62K 25/04"],
    },
    "EP-1700002-A2": {
        "description": ["The kettle has a lid."],
        "claims": ["A kettle with a whistle in the spout."],
        "ipc": ["A47J 27/00"],
    },
    "EP-1700003-A1": {"description": ["No claims were filed."], "claims": None, "ipc": []},
    "EP-1700004-A1": {"lang": "DE", "description": [], "claims": ["Kessel mit Pfeife."], "ipc": []},
    "EP-1700005-A1": {"description": [], "claims": ["A lamp with a reflector and a battery."], "ipc": []},
}
TOPICS = """<tid>PSG-1</tid>
<tfile>EP-1700001-A1.xml</tfile>
<tfam-docs>EP-1000007-A1.xml WO-1999000009-A1.xml</tfam-docs>
<tclaims>/patent-document/claims/claim[4] /patent-document/claims/claim[1] </tclaims>

<tid>PSG-2</tid>
<tfile>EP-1700002-A2.xml</tfile>
<tfam-docs></tfam-docs>
<tclaims>/patent-document/claims/claim[1]
/patent-document/description/p[1] </tclaims>

<tid>PSG-3</tid>
<tfile>EP-1700003-A1.xml</tfile>
<tfam-docs></tfam-docs>
<tclaims>/patent-document/claims/claim[1] </tclaims>

<tid>PSG-4</tid>
<tfile>EP-1700004-A1.xml</tfile>
<tfam-docs></tfam-docs>
<tclaims>/patent-document/claims/claim[1] </tclaims>

<tid>PSG-5</tid>
<tfile>EP-1700005-A1.xml</tfile>
<tfam-docs></tfam-docs>
<tclaims>/patent-document/claims/claim[1] </tclaims>

<tid>PSG-6</tid>
<tfile>EP-1700005-A1.xml</tfile>
<tfam-docs></tfam-docs>
<tclaims>/patent-document/claims/claim[1] </tclaims>
"""
QRELS = """PSG-1,EP-1000001-A1,/patent-document/abstract/p
PSG-1,EP-1000001-A1,/patent-document/description/p[2]
PSG-1,EP-1000001-A1,/patent-document/claims/claim[1]
PSG-1,EP-1000004-A1,/patent-document/description/p[1]
PSG-2,EP-1000002-B1,/patent-document/claims/claim[1]
PSG-2,EP-1000002-B1,/patent-document/description/p[3]
PSG-2,EP-1000006-A1,/patent-document/claims/claim[1]
PSG-3,EP-1000008-A1,/patent-document/description/p[1]
PSG-4,EP-1000002-B1,/patent-document/description/p[2]
PSG-5,WO-2001000003-A1,/patent-document/abstract[1]/p[1]
PSG-5,WO-2001000003-A1,/patent-document/abstract[1]/p[9]
PSG-6,EP-9999999-A1,/patent-document/claims/claim[1]
"""
ASKED = {
    "PSG-1": f"{FIRST}\nA bicycle as claimed in claim 1 with a spring.\n"
    "A bicycle as claimed in claim 2 with a brake.",
    "PSG-2": "A kettle with a whistle in the spout.\nThe kettle has a lid.",
    "PSG-5": "A lamp with a reflector and a battery.",
}
RELEVANT = {
    "PSG-1": {
        "EP-1000001-A1": {
            "EP-1000001-A1::/patent-document/abstract[1]/p[1]",
            "EP-1000001-A1::/patent-document/description/p[2]",
            "EP-1000001-A1::/patent-document/claims/claim[1]",
        },
        "EP-1000004-A1": {"EP-1000004-A1::/patent-document/description/p[1]"},
    },
    "PSG-2": {
        "EP-1000002-B1": {
            "EP-1000002-B1::/patent-document/claims/claim[1]",
            "EP-1000002-B1::/patent-document/description/p[3]",
        },
        "EP-1000006-A1": {"EP-1000006-A1::/patent-document/claims/claim[1]"},
    },
    "PSG-5": {
        "WO-2001000003-A1": {
            "WO-2001000003-A1::/patent-document/abstract[1]/p[1]",
            "WO-2001000003-A1::/patent-document/abstract[1]/p[9]",
        }
    },
}


def marec(name, abstract=(), description=(), claims=(), ipc=(), lang="EN", title="An invention"):
    """A document as MAREC writes it; claims may be a list, or lists by language, or None for no element."""
    country, number, kind = name.split("-")
    symbols = "".join(
        f"<classification-ipcr>{symbol:<20}20060101A I20051008RMEP        </classification-ipcr>"
        for symbol in (f"{s.split()[0]}{s.split()[1].split('/')[0]:>4}/{s.split('/')[1]}" for s in ipc)
    )
    body = ""
    if abstract:
        body += f'<abstract lang="{lang}">{_leaves("p", abstract)}</abstract>'
    body += f'<description lang="{lang}"><heading>Field</heading>{_leaves("p", description)}</description>'
    by_language = claims if isinstance(claims, dict) else {} if claims is None else {lang: claims}
    for language, texts in by_language.items():
        parts = "".join(
            f'<claim num="{n}"><claim-text>{escape(text)}</claim-text></claim>'
            for n, text in enumerate(texts, 1)
        )
        body += f'<claims lang="{language}">{parts}</claims>'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE patent-document PUBLIC "-//MXW//DTD patent-document XML//EN" '
        '"http://www.ir-facility.org/dtds/patents/v1.4/patent-document.dtd">\n'
        f'<patent-document ucid="{name}" country="{country}" doc-number="{number}" kind="{kind}" '
        f'lang="{lang}" date="20010101"><bibliographic-data><technical-data>'
        f"<classifications-ipcr>{symbols}</classifications-ipcr>"
        f'<invention-title lang="{lang}">{escape(title)}</invention-title>'
        f"</technical-data></bibliographic-data>{body}</patent-document>\n"
    )


def _leaves(tag, texts):
    return "".join(f'<{tag} num="{n:04}">{escape(text)}</{tag}>' for n, text in enumerate(texts, 1))


def write_world(folder: Path) -> Path:
    """The data set in a folder, laid out as its archives unpack."""
    test = folder / "clef-ip-2013-clms-psg-TEST"
    (test / "tfiles").mkdir(parents=True)
    (test / "clef-ip-2013-clms-psg-TEST.txt").write_text(TOPICS, encoding="utf-8")
    for name, parts in TOPIC_FILES.items():
        (test / "tfiles" / f"{name}.xml").write_text(marec(name, **parts), encoding="utf-8")
    qrels = folder / "2013-clef-ip-clsm-to-psg-qrels"
    qrels.mkdir()
    (qrels / "2013-clef-ip-QRELS-EN-claims-to-passages.txt").write_text(QRELS, encoding="utf-8")
    for name, parts in COLLECTION.items():
        country, number, _ = name.split("-")
        at = folder / "collection" / country / f"00{number[:4]}" / number[4:6]
        at.mkdir(parents=True, exist_ok=True)
        (at / f"{name}.xml").write_text(marec(name, **parts), encoding="utf-8")
    return folder


def files(folder: Path) -> list[str]:
    """The options that name the files."""
    return [
        *("--topics", str(folder / "clef-ip-2013-clms-psg-TEST" / "clef-ip-2013-clms-psg-TEST.txt")),
        "--qrels",
        str(folder / "2013-clef-ip-clsm-to-psg-qrels" / "2013-clef-ip-QRELS-EN-claims-to-passages.txt"),
        *("--documents", str(folder / "collection")),
    ]
