"""Start of the frozen program: the workbench by the name ``claimlight-workbench``, else the command line."""

import multiprocessing
import sys
from pathlib import Path

# Before anything else: an import in several processes starts this program again for each of them.
multiprocessing.freeze_support()

if Path(sys.argv[0]).stem.lower() == "claimlight-workbench":
    from claimlight_workbench.__main__ import main
else:
    from claimlight.cli.__main__ import main

if __name__ == "__main__":
    main()
