#!/usr/bin/env bash
# Prints the section of CHANGELOG.md about a version, which must have a date and some text.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?the version, without v}
heading=$(grep -F "## [$version]" CHANGELOG.md || true)
if ! [[ $heading =~ ^'## ['.*'] - '[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]]; then
  echo "CHANGELOG.md has no section \"## [$version] - YYYY-MM-DD\"." >&2
  exit 1
fi
notes=$(awk -v heading="$heading" '$0 == heading { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md)
if [ -z "${notes//[[:space:]]/}" ]; then
  echo "The section of CHANGELOG.md about $version is empty." >&2
  exit 1
fi
printf '%s\n' "$notes"
