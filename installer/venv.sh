#!/bin/sh
# Make the virtual environment in the folder named, unless it is there and works.
set -eu
"$1/bin/python" -c 'import pip' 2>/dev/null && exit 0
python=$(sh "$(dirname "$0")/python.sh")
echo "Setting up Python packages in $1 (once)"
rm -rf "$1"
"$python" -m venv "$1"
