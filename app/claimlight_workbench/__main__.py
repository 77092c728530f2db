"""Entry point of ``claimlight-workbench`` and of ``python -m claimlight_workbench``."""

from __future__ import annotations

import sys


def main() -> None:
    """Start the workbench."""
    from claimlight_workbench import bootstrap

    sys.exit(bootstrap.run(sys.argv[1:]))


if __name__ == "__main__":
    main()
