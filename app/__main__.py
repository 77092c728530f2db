"""Entry point of ``claimlight-workbench`` and of ``python -m app``."""

from __future__ import annotations

import sys


def main() -> None:
    """Start the workbench."""
    from app import bootstrap

    sys.exit(bootstrap.run(sys.argv[1:]))


if __name__ == "__main__":
    main()
