#!/bin/sh
# Make sure that the system libraries are there: `system.sh [build] [gui] [test]`.
# With apt and the right to use it the missing ones are installed; otherwise they are named.
set -u

python=$(sh "$(dirname "$0")/python.sh") || exit 1
missing=""

need() { missing="$missing $1"; }

has_library() {
    for ldconfig in ldconfig /sbin/ldconfig /usr/sbin/ldconfig; do
        if command -v "$ldconfig" >/dev/null 2>&1; then
            "$ldconfig" -p | grep -q "$1"
            return
        fi
    done
    return 0 # no way to tell (not Linux)
}

check_build() {
    "$python" -c 'import ensurepip, venv' 2>/dev/null || need python3-venv
    command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || need g++
    "$python" - <<'EOF' || need python3-dev
import pathlib, sys, sysconfig
sys.exit(not (pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h").exists())
EOF
}

check_gui() {
    [ "$(uname)" = Linux ] || return 0
    while read -r library package; do
        has_library "$library" || need "$package"
    done <<'EOF'
libGL.so.1 libgl1
libEGL.so.1 libegl1
libglib-2.0.so.0 libglib2.0-0
libxcb-cursor.so.0 libxcb-cursor0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-keysyms.so.1 libxcb-keysyms1
libxkbcommon.so.0 libxkbcommon0
libxkbcommon-x11.so.0 libxkbcommon-x11-0
libxcb-image.so.0 libxcb-image0
libxcb-render-util.so.0 libxcb-render-util0
libxcb-shape.so.0 libxcb-shape0
libxcb-xinerama.so.0 libxcb-xinerama0
libdbus-1.so.3 libdbus-1-3
libfontconfig.so.1 libfontconfig1
EOF
    [ -d /usr/share/fonts/truetype ] || need fonts-dejavu-core
}

# The tests watch programs for connections with it; without it a filter of the kernel does.
check_test() {
    [ "$(uname)" = Linux ] || return 0
    command -v strace >/dev/null 2>&1 || need strace
    # Compiles the installer for Windows.
    command -v makensis >/dev/null 2>&1 || need nsis
    # The tests of shared libraries start a server of their own.
    ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null 2>&1 || need postgresql
}

for part in "$@"; do "check_$part"; done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root="sudo"; else as_root="no"; fi
fi
if command -v apt-get >/dev/null 2>&1 && [ "$as_root" != no ]; then
    echo "Installing system packages:$missing"
    $as_root apt-get update -qq >/dev/null &&
        DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null &&
        exit 0
fi
echo "These system packages are missing and can't be installed from here:$missing" >&2
echo "On Debian or Ubuntu:  sudo apt-get install$missing" >&2
case "$missing" in *python3-venv* | *g++* | *python3-dev*) exit 1 ;; esac
exit 0
