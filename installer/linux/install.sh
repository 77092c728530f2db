#!/bin/sh
# Claimlight for Linux, for one user and without administrator: `sh THIS_FILE --help`.
# The program is packed behind this script; `build.py` writes the values that begin with @ here.
set -eu
umask 022

VERSION='@VERSION@'
SHA256='@SHA256@'
HEAD_BYTES=@HEAD_BYTES@
UNPACKED_KB=@UNPACKED_KB@
GLIBC_MINOR=@GLIBC_MINOR@

quiet=no
action=install
work=""

say() { [ "$quiet" = yes ] || printf '%s\n' "$*"; }
note() { printf '%s\n' "$*" >&2; }
fail() {
    note "$*"
    exit 1
}

usage() {
    cat <<EOF
Install Claimlight $VERSION for yourself. No administrator, network or Python is needed.

  sh $0 [--prefix DIR] [--quiet]    install, or upgrade an earlier version
  sh $0 --uninstall [--prefix DIR]  remove the program; libraries and cases stay
  sh $0 --check                     only check that this file is whole

--prefix DIR   folder of the program (default: ~/.local/share/claimlight)
--quiet        print warnings and errors only; nothing is ever asked
EOF
}

# shellcheck disable=SC2317 # called by trap
clean() {
    if [ -n "$work" ]; then rm -rf "$work"; fi
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

need_value() { [ "$1" -ge 2 ] || fail "--prefix needs a folder. Try: sh $0 --help"; }

[ -n "${HOME:-}" ] || fail "HOME is not set, so there is no folder of yours to install into."
data=${XDG_DATA_HOME:-$HOME/.local/share}
bin=$HOME/.local/bin
prefix=$data/claimlight

# The copy that an installation leaves removes what is beside it.
case $0 in
    */uninstall.sh | uninstall.sh)
        action=uninstall
        prefix=$(cd "$(dirname "$0")" && pwd)
        ;;
esac
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            need_value $#
            prefix=$2
            shift
            ;;
        --prefix=*) prefix=${1#--prefix=} ;;
        --uninstall) action=uninstall ;;
        --check) action=check ;;
        --quiet) quiet=yes ;;
        --help | -h)
            usage
            exit 0
            ;;
        *)
            note "This option is unknown: $1"
            usage >&2
            exit 2
            ;;
    esac
    shift
done
[ -n "$prefix" ] || fail "--prefix needs a folder. Try: sh $0 --help"
case $prefix in
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
esac

packed() { tail -c "+$((HEAD_BYTES + 1))" "$0"; }

check_whole() {
    if command -v sha256sum >/dev/null 2>&1; then
        found=$(packed | sha256sum)
    elif command -v openssl >/dev/null 2>&1; then
        found=$(packed | openssl dgst -sha256 -r)
    else
        fail "Neither sha256sum nor openssl is on this computer, so this file can't be checked."
    fi
    [ "${found%% *}" = "$SHA256" ] ||
        fail "This file is damaged or incomplete. Nothing was changed. Copy or download it again."
}

check_computer() {
    [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
        fail "This program is for Linux on x86-64; this computer is $(uname -s) on $(uname -m)."
    command -v xz >/dev/null 2>&1 || fail "The program xz is missing; your IT department can install it (xz-utils)."
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || true)
    case $libc in
        "glibc 2."*)
            minor=${libc#glibc 2.}
            [ "${minor%%.*}" -ge "$GLIBC_MINOR" ] ||
                fail "This system is too old: it has $libc, and glibc 2.$GLIBC_MINOR or newer is needed, as in Debian 12."
            ;;
    esac
    mkdir -p "$prefix" 2>/dev/null || true
    if [ ! -d "$prefix" ] || [ ! -w "$prefix" ]; then
        fail "You may not write into $prefix. Choose another folder with --prefix."
    fi
    free=$(df -Pk "$prefix" | awk 'NR == 2 { print $4 }')
    [ "$free" -ge "$UNPACKED_KB" ] ||
        fail "There is too little space in $prefix: $((UNPACKED_KB / 1024)) MB are needed, $((free / 1024)) MB are free."
}

is_program() { [ -d "$1" ] && [ ! -L "$1" ] && [ -f "$1/build.json" ] && [ -e "$1/claimlight" ]; }

# Whether a program of that folder runs, as far as this user can see.
is_running() {
    real=$(cd "$1" && pwd -P)
    for each in /proc/[0-9]*/exe; do
        case $(readlink "$each" 2>/dev/null || true) in
            "$real"/*) return 0 ;;
        esac
    done
    return 1
}

is_own_link() {
    [ -L "$1" ] || return 1
    case $(readlink "$1") in
        "$prefix"/current/*) return 0 ;;
        *) return 1 ;;
    esac
}

link_command() {
    if is_own_link "$bin/$1" || { [ ! -e "$bin/$1" ] && [ ! -L "$bin/$1" ]; }; then
        ln -sfn "$prefix/current/$1" "$bin/$1"
    else
        note "$bin/$1 is there already and is something else. It was left alone; start $prefix/current/$1 instead."
    fi
}

# A path as a word of the line Exec.
quote_exec() { printf '%s' "$1" | sed -e 's/[\\"`$]/\\\\&/g' -e 's/%/%%/g' -e 's/.*/"&"/'; }

add_entry() {
    mkdir -p "$data/applications" "$data/icons/hicolor/scalable/apps"
    cp "$prefix/current/share/claimlight.svg" "$data/icons/hicolor/scalable/apps/claimlight.svg"
    entry=$data/applications/claimlight-workbench.desktop
    {
        grep -v '^Exec=' "$prefix/current/share/claimlight-workbench.desktop"
        printf 'Exec=%s %%f\n' "$(quote_exec "$prefix/current/claimlight-workbench")"
        printf 'X-Claimlight-Folder=%s\n' "$prefix"
    } >"$entry.new"
    mv -f "$entry.new" "$entry"
    mkdir -p "$data/mime/packages"
    cp "$prefix/current/share/claimlight-workbench.xml" "$data/mime/packages/claimlight-workbench.xml"
    refresh_menus
}

refresh_menus() {
    if [ -d "$data/mime/packages" ] && command -v update-mime-database >/dev/null 2>&1; then
        update-mime-database "$data/mime" 2>/dev/null || true
    fi
    if command -v update-desktop-database >/dev/null 2>&1; then
        update-desktop-database -q "$data/applications" 2>/dev/null || true
    fi
    if command -v gtk-update-icon-cache >/dev/null 2>&1; then
        gtk-update-icon-cache -q -t -f "$data/icons/hicolor" 2>/dev/null || true
    fi
}

install_program() {
    check_whole
    check_computer
    target=$prefix/program-$VERSION
    # Of an installation that was killed.
    find "$prefix" -maxdepth 1 -name '.unpacking-*' -mtime +0 -exec rm -rf {} +
    work=$(mktemp -d "$prefix/.unpacking-XXXXXX")
    chmod 755 "$work"
    say "Unpacking Claimlight $VERSION into $target ..."
    packed | xz -dc | tar -xf - -C "$work" ||
        fail "The program could not be unpacked; is the disk full? Nothing was changed."
    new=$work/claimlight
    is_program "$new" || fail "This file has no program in it. Nothing was changed."

    # Nothing is replaced by a program that does not start.
    if ! said=$("$new/claimlight" --version 2>&1); then
        note "$said"
        fail "The new program does not start on this computer. Nothing was changed."
    fi
    window=yes
    if ! said=$(QT_QPA_PLATFORM=offscreen "$new/claimlight-workbench" --help 2>&1); then
        window=no
        note "$(printf '%s\n' "$said" | grep 'Error: ' | tail -n 1)"
        note "The window does not start yet. Your IT department can install what is missing: libgl1, libegl1 and a font (the names on Debian and Ubuntu)."
    fi

    if [ -e "$target" ]; then mv "$target" "$work/replaced"; fi
    if ! mv "$new" "$target"; then
        if [ -e "$work/replaced" ]; then mv "$work/replaced" "$target"; fi
        fail "$target can't be written."
    fi
    ln -s "program-$VERSION" "$work/current"
    mv -Tf "$work/current" "$prefix/current"
    head -c "$HEAD_BYTES" "$0" >"$work/uninstall.sh"
    mv -f "$work/uninstall.sh" "$prefix/uninstall.sh"

    mkdir -p "$bin"
    link_command claimlight
    link_command claimlight-workbench
    add_entry
    for former in "$prefix"/program-*; do
        if [ "$former" = "$target" ] || ! is_program "$former"; then continue; fi
        if [ "$window" = no ]; then
            say "The former program stays until the window of the new one starts: $former"
        elif is_running "$former"; then
            say "The former program is still open and stays until the next installation: $former"
        else
            rm -rf "$former"
        fi
    done

    say "Claimlight $VERSION is installed."
    if [ "$window" = yes ]; then say "Start it from the menu, or with: claimlight-workbench"; fi
    case :$PATH: in
        *":$bin:"*) ;;
        *) say "$bin is not in your PATH yet; it often is after the next login. Until then: $bin/claimlight-workbench" ;;
    esac
    say "To remove it: sh $prefix/uninstall.sh"
}

uninstall_program() {
    found=no
    for each in "$prefix"/program-*; do
        is_program "$each" || continue
        found=yes
        if is_running "$each"; then fail "Claimlight is open. Close it first. Nothing was changed."; fi
    done
    [ "$found" = yes ] || fail "There is no Claimlight in $prefix. If it is elsewhere, name the folder with --prefix."
    for each in claimlight claimlight-workbench; do
        if is_own_link "$bin/$each"; then rm -f "$bin/$each"; fi
    done
    entry=$data/applications/claimlight-workbench.desktop
    if [ -f "$entry" ] && grep -qxF "X-Claimlight-Folder=$prefix" "$entry"; then
        rm -f "$entry" "$data/icons/hicolor/scalable/apps/claimlight.svg" "$data/mime/packages/claimlight-workbench.xml"
        refresh_menus
    fi
    if [ -L "$prefix/current" ]; then rm -f "$prefix/current"; fi
    for each in "$prefix"/program-*; do
        if is_program "$each"; then rm -rf "$each"; fi
    done
    rm -f "$prefix/uninstall.sh"
    rmdir "$prefix" 2>/dev/null || true
    say "Claimlight is removed."
    say "Your libraries, cases and models stay in ${CLAIMLIGHT_DATA_DIR:-$data/claimlight}, your settings in ${CLAIMLIGHT_CONFIG_DIR:-${XDG_CONFIG_HOME:-$HOME/.config}/claimlight}."
}

case $action in
    install) install_program ;;
    uninstall) uninstall_program ;;
    check)
        check_whole
        say "This file is whole."
        ;;
esac
exit 0
