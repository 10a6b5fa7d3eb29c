#!/usr/bin/env bash
# tools/venv.sh DIR: make a virtual environment with pip in DIR, unless a working one is there.
# PYTHON names the interpreter; without it the newest fitting one on the PATH is taken.
set -euo pipefail
dir=$1
cd "$(dirname "$0")/.."

fail() {
  echo "lockstep: $*" >&2
  exit 1
}

"$dir/bin/python" -m pip --version >/dev/null 2>&1 && exit 0

floor=$(sed -n 's/^requires-python = ">=\([0-9.]*\)".*/\1/p' pyproject.toml)
[ -n "$floor" ] || fail "pyproject.toml: no line requires-python = \">=X.Y.Z\""
seen=""
python=""
for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3}; do
  version=$("$candidate" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue
  seen="$seen$candidate is $version; "
  if "$candidate" -c 'import sys
sys.exit(sys.version_info < tuple(map(int, sys.argv[1].split("."))))' "$floor"; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] ||
  fail "Python $floor or newer is needed (${seen:-${PYTHON:-python3} was not found; }name one: make PYTHON=/path/to/python3)"

echo "Making .venv with Python $version ..."
rm -rf "$dir"
has_ensurepip() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }

if ! has_ensurepip && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  # Debian and Ubuntu keep ensurepip in a package of its own, one for each Python.
  package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
  echo "Installing the system package $package ..."
  install() { DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$package" >/dev/null 2>&1; }
  install || { apt-get update -qq >/dev/null 2>&1 && install; } || true
fi

if has_ensurepip; then
  "$python" -m venv "$dir"
elif "$python" -m pip --version >/dev/null 2>&1 && "$python" -m venv --without-pip "$dir" &&
  "$python" -m pip --python "$dir/bin/python" install --quiet --disable-pip-version-check pip; then
  : # the machine's pip put a pip into the environment
elif "$python" -m virtualenv --quiet "$dir" 2>/dev/null; then
  :
else
  rm -rf "$dir"
  fail "$python cannot make a virtual environment; run: sudo apt-get install python3-venv (then make again)"
fi
