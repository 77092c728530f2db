"""Small schemes of our own wording in the layouts of the offices."""

from __future__ import annotations

import zipfile
from pathlib import Path

from claimlight.classes.editions import Editions
from claimlight.classes.importing import import_edition
from claimlight.tasks import TaskContext

TITLES_B = """\
B\t\tTHINGS THAT MOVE
B62\t\tLAND THINGS
B62K\t\tTWO-WHEELED THINGS (brakes of them B62L); THEIR FRAMES
B62K25/00\t0\tWheels held with springs {(of cars B60G)}
B62K25/04\t1\tsprings between wheel and frame (for side-cars B62K27/06)
B62K2025/041\t2\t{the frame being flexible}
B62K25/06\t2\twith a telescopic fork, e.g. for welding (shops)
B62K25/28\t1\twith a pivoted stay {, e.g. of an electric bicycle}
B62K27/00\t0\tSide-cars
"""
TITLES_H = """\
H\t\tCURRENTS
H04\t\tMESSAGES
H04L\t\tMESSAGES IN NUMBERS
H04L9/00\t0\tSecret messages
H04L9/06\t1\tby shift registers
H04L9/0618\t2\tin blocks
H04L9/08\t1\twith shared keys
Y\t\tTAGS
"""
CPC_XML = """<?xml version="1.0" encoding="UTF-8"?>
<class-scheme publication-date="2019-08-01" scheme-type="cpc">
<classification-item level="2" not-allocatable="true" status="published">
 <classification-symbol>B</classification-symbol>
 <class-title><title-part><text>THINGS THAT MOVE</text></title-part></class-title>
 <classification-item level="3" not-allocatable="true"><classification-symbol>B60</classification-symbol>
 <class-title><title-part><text>TRANSPORT</text></title-part></class-title>
 <classification-item level="4" not-allocatable="true"><classification-symbol>B62</classification-symbol>
 <class-title><title-part><text>LAND THINGS</text></title-part></class-title>
 <classification-item level="5" not-allocatable="true" date-revised="2018-08-01">
  <classification-symbol>B62K</classification-symbol>
  <class-title>
   <title-part><text>TWO-WHEELED THINGS </text>
    <reference><text>brakes of them <class-ref scheme="cpc">B62L</class-ref></text></reference></title-part>
   <title-part><text>THEIR FRAMES</text></title-part>
  </class-title>
  <notes-and-warnings>
   <note type="note"><note-paragraph>Two wheels are enough.<subnote type="alpha">
     <note-paragraph>one before</note-paragraph><note-paragraph>one behind</note-paragraph></subnote>
   </note-paragraph></note>
   <note type="warning"><note-paragraph warning-type="ipc-not-used">Not in the CPC: <table>
     <row><entry><class-ref scheme="ipc">B62K25/30</class-ref></entry><entry> covered by </entry>
      <entry><class-ref scheme="cpc">B62K25/28</class-ref></entry></row></table></note-paragraph></note>
  </notes-and-warnings>
  <classification-item level="6"><classification-symbol>B62K25/00</classification-symbol>
  <class-title><title-part><text>Springs</text></title-part></class-title>
  <classification-item level="7" not-allocatable="false" ipc-concordant="B62K25/00">
   <classification-symbol>B62K25/00</classification-symbol>
   <class-title><title-part><text>Wheels held with springs</text></title-part></class-title>
   <classification-item level="8"><classification-symbol>B62K25/04</classification-symbol>
    <class-title><title-part><text>springs between</text>
     <CPC-specific-text><text> frame and wheel</text></CPC-specific-text></title-part></class-title>
    <classification-item level="9" status="frozen" additional-only="true">
     <classification-symbol>B62K25/05</classification-symbol>
     <class-title><title-part><text>with a leaf spring</text></title-part></class-title>
     <notes-and-warnings><note type="warning"><note-paragraph warning-type="reclass-source">Group
      <class-ref scheme="cpc">B62K25/05</class-ref> is no longer used. It goes to groups
      <class-ref scheme="cpc">B62K25/06</class-ref> and
      <class-ref scheme="cpc">B62K25/28</class-ref>&#160;-&#160;<class-ref
      scheme="cpc">B62K25/30</class-ref>.</note-paragraph></note></notes-and-warnings>
    </classification-item>
   </classification-item>
  </classification-item></classification-item>
 </classification-item></classification-item></classification-item>
</classification-item>
</class-scheme>
"""
IPC_XML = """<?xml version="1.0" encoding="UTF-8"?>
<IPCScheme xmlns="http://www.wipo.int/classifications/ipc/masterfiles" edition="20240101" lang="EN">
<ipcEntry kind="s" symbol="B" entryType="K">
 <textBody><title>
  <titlePart><text>THINGS <emdash/> MOVED</text></titlePart>
 </title></textBody>
 <ipcEntry kind="t" symbol="B60" endSymbol="B68" entryType="K">
 <textBody><title>
  <titlePart><text>TRANSPORT</text>
  </titlePart>
 </title></textBody></ipcEntry>
 <ipcEntry kind="c" symbol="B62" entryType="K">
 <textBody><title>
  <titlePart><text>LAND THINGS</text></titlePart></title>
 </textBody>
  <ipcEntry kind="u" symbol="B62K" entryType="K">
 <textBody><title>
    <titlePart><text>TWO WHEELS</text>
     <entryReference>brakes of them<sref ref="B62L"/></entryReference>
     <entryReference>side-cars<mref ref="B62K0027000000" endRef="B62K0027120000"/></entryReference>
    </titlePart>
    <titlePart><text>FRAMES</text></titlePart>
 </title></textBody>
   <ipcEntry kind="n" symbol="B62K"><textBody><note>
 <noteParagraph><text>Two are enough.</text><subnote>
  <noteParagraph><text>one before</text></noteParagraph></subnote></noteParagraph></note>
   </textBody></ipcEntry>
   <ipcEntry kind="g" symbol="B62K0025000000" endSymbol="B62K0027000000"><textBody><title>
  <titlePart>
    <text>Springs</text></titlePart>
 </title></textBody></ipcEntry>
   <ipcEntry kind="m" symbol="B62K0025000000" entryType="K">
 <textBody><title>
  <titlePart><text>Springs of wheels</text>
    </titlePart>
 </title></textBody>
    <ipcEntry kind="1" symbol="B62K0025040000" entryType="K">
 <textBody><title>
  <titlePart><text>to the frame</text>
     </titlePart>
 </title></textBody>
     <ipcEntry kind="2" symbol="B62K0025060000" entryType="I"><textBody><title>
  <titlePart><text>with a fork</text>
      </titlePart>
 </title></textBody></ipcEntry>
    </ipcEntry>
   </ipcEntry>
  </ipcEntry>
 </ipcEntry>
</ipcEntry>
</IPCScheme>
"""


def write_lists(folder: Path, date: str = "20220801") -> Path:
    """The two title lists as files of a folder, with the line ends of the offices."""
    folder.mkdir(parents=True, exist_ok=True)
    for section, text in (("B", TITLES_B), ("H", TITLES_H)):
        name = folder / f"cpc-section-{section}_{date}.txt"
        name.write_bytes(text.replace("\n", "\r\n").encode())
    return folder


def write_zip(path: Path, **members: str) -> Path:
    """A zip of texts; two underscores of a name are a dot."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return path


def imported(folder: Path, *, xml: bool = False) -> Editions:
    """Editions with the title lists as CPC 2022.08 and, if wanted, the XML as CPC 2019.08."""
    editions = Editions(folder / "Classes")
    import_edition(editions, write_lists(folder / "lists"), TaskContext())
    if xml:
        old = folder / "cpc-scheme-B.xml"
        old.write_text(CPC_XML, encoding="utf-8")
        import_edition(editions, old, TaskContext())
    return editions
