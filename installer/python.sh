#!/bin/sh
# Print the first Python of 3.11 or newer, or say what is needed.
for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null 2>&1 &&
        "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        command -v "$name"
        exit 0
    fi
done
echo "Claimlight needs Python 3.11 or newer; set PYTHON=/path/to/python3 if it is not on the PATH." >&2
exit 1
