"""Draw ``claimlight.ico`` from the picture of the program: ``python installer/windows/icon.py``.

Run it after a change of ``installer/linux/claimlight.svg``; the drawn file is kept beside this one.
"""

from __future__ import annotations

import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

HERE = Path(__file__).resolve().parent
SIZES = (16, 20, 24, 32, 40, 48, 64, 256)
"""Of menus, lists and the task bar at 100 to 250 %; the largest is for folders that show large icons."""


def main() -> None:
    """Write the icon."""
    renderer = QSvgRenderer(str(HERE.parent / "linux" / "claimlight.svg"))
    images = [_draw(renderer, size) for size in SIZES]
    place = 6 + 16 * len(images)
    head = struct.pack("<HHH", 0, 1, len(images))
    for size, image in zip(SIZES, images, strict=True):
        head += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(image), place)
        place += len(image)
    (HERE / "claimlight.ico").write_bytes(head + b"".join(images))


def _draw(renderer: QSvgRenderer, size: int) -> bytes:
    """One picture: PNG for the largest, for the others the bitmap that every part of Windows reads."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    if size == max(SIZES):
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")
        return bytes(buffer.data().data())
    # Its lines go from the bottom to the top; below them is an empty mask of one bit for each pixel.
    lines = b"".join(bytes(image.constScanLine(y))[: 4 * size] for y in reversed(range(size)))
    mask = bytes((size + 31) // 32 * 4 * size)
    head = struct.pack("<IiiHHIIiiII", 40, size, 2 * size, 1, 32, 0, len(lines) + len(mask), 0, 0, 0, 0)
    return head + lines + mask


if __name__ == "__main__":
    main()
