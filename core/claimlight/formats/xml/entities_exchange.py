"""Entity names of the exchange format that no standard set knows: many in capitals, some of its own.

The office's declarations give the signs below `_SHAPES` characters of private use that no font has;
here they are the nearest signs of Unicode.
"""

from __future__ import annotations

_NAMES = """
AACUTE á  ABREVE Ă  ACIRC â  ACUTE ´  ACY А  AELIG æ  AGR Α  AGRAVE à  ALPHA Α  AMACR Ā  ANGST Å
AOGON Ą  APOS '  ARING Å  ATILDE ã  AUML ä  Aacgr Ά  BETA Β  BGR Β  BREVE ˘  BULL •  CACUTE Ć  CCARON Č
CCEDIL Ç  CDOT Ċ  CEDIL ¸  CHCY Ч  CHECK ✓  CIRC ^  Check ✓  DEG °  EACUTE é  ECARON Ě  ECIRC Ê  EDOT Ė
EEGR Η  EEacgr Ή  EGRAVE è  EMACR Ē  EOGON Ę  EUML ë  EXCL !  Eacgr Έ  GBREVE Ğ  GCY Г  IACUTE í
ICIRC î  ICY И  IDOT İ  IECY Е  IEXCL ¡  IOCY Ё  IQUEST ¿  IUKCY І  IUML Ï  Iacgr Ί  Idigr Ϊ  JCY Й
KCY К  KGR Κ  KHGR Χ  LAMBDA Λ  LAQUO «  LCY Л  LDQUO “  LE ≤  LSQB [  LSQUO ‘  LSTROK Ł  MACR ¯  MCY М
MDASH —  MGR Μ  MIDDOT ·  MINUS −  MLDR …  Mldr …  NACUTE Ń  NCARON Ň  NCY Н  NDASH –  NTILDE ñ
NUMERO №  OACGR Ό  OACUTE Ó  OCIRC ô  OCY О  ODBLAC ő  OELIG Œ  OGR Ο  OGRAVE Ò  OHacgr Ώ  OMACR Ō
OMEGA Ω  OSLASH Ø  OTILDE Õ  OUML ö  Oacgr Ό  PARA ¶  PCY П  PGR Π  PHGR Φ  PHI Φ  PHIV ϕ  PRIME ′
RACUTE Ŕ  RADIC √  RAQUO »  RARR ↠  RCARON Ř  RCY Р  RDQUO ”  RSQB ]  RSQUO ’  SACUTE Ś  SCARON Š
SCEDIL Ş  SCY С  SHCY Ш  SOFTCY Ь  SOL /  STAR ⋆  STARF ★  SUM ∑  SZLIG ß  TCEDIL Ţ  TCY Т  THETA Θ
THETAS θ  Trade ™  UACUTE Ú  UCIRC Û  UDBLAC Ű  UMACR Ū  UOGON Ų  UPSI ϒ  URING Ů  UUML ü  Uacgr Ύ
Udigr Ϋ  VCY В  YACUTE Ý  YACY Я  YUCY Ю  YUML Ÿ  ZACUTE Ź  ZCARON Ž  ZDOT Ż  aacgr ά  circlef ●
degree °  eacgr έ  eeacgr ή  efdot ≒  iacgr ί  idiagr ΐ  idigr ϊ  litre ℓ  lparstr ′  oacgr ό  ohacgr ώ
percent %  rparstr ‶  sl0 Ø  supl ¹  uacgr ύ  udiagr ΰ  udigr ϋ
"""
_SPACES = {
    "EMSP": "\u2003",
    "EMSP13": "\u2004",
    "EMSP14": "\u2005",
    "ENSP": "\u2002",
    "NBSP": "\u00a0",
    "SHY": "\u00ad",
    "newline": "\u000a",
}
_BOLD = {
    "b.Gammad": "Ϝ", "b.Upsi": "\U0001d6bc", "b.epsiv": "\U0001d6dc", "b.gammad": "ϝ",
    "b.kappav": "\U0001d6de", "b.phi": "\U0001d6d7", "b.phiv": "\U0001d6df", "b.piv": "\U0001d6e1",
    "b.rhov": "\U0001d6e0", "b.sigmav": "\U0001d6d3", "b.thetav": "\U0001d6dd",
}  # fmt: skip
_SHAPES = {
    "Brketclosest": "]", "Brketopenst": "[", "Dotlhalfcircle": "◖", "Dotrhalfcircle": "◗",
    "Dotthalfcircle": "◠", "LeftBracketingBar": "|", "Lhalfcircle": "◖", "Linevertsplit": "¦",
    "Ovalhollow": "⬭", "Ovalsolid": "⬬", "Parenclosest": ")", "Parenopenst": "(", "Quadbond": "≣",
    "Rhalfcircle": "◗", "RightBracketingBar": "|",
}  # fmt: skip

EXCHANGE: dict[str, str] = {
    **dict(zip(*[iter(_NAMES.split())] * 2, strict=True)),
    **_SPACES,
    **_BOLD,
    **_SHAPES,
}
