#!/usr/bin/env bash
# Runs the inbox's tests in Rust on volumes made for them: `bash scripts/test-volumes.sh [KIND...]`.
# On macOS images of APFS that tells case apart and of HFS+, which keeps whole seconds and folds case; on Linux, as root,
# images of ext4, xfs and btrfs, mounted where no other process sees them.
set -euo pipefail
cd "$(dirname "$0")/.."

on_linux=(ext4 xfs btrfs)
on_macos=("Case-sensitive APFS" "HFS+")

# What may be mounted is seen by this process and its children alone.
if [ "$(uname)" = Linux ] && [ "${SEATKIT_VOLUMES:-}" != own ]; then
  SEATKIT_VOLUMES=own exec unshare --mount bash "$0" "$@"
fi

scratch=$(mktemp -d)
place=$scratch/volume
mkdir "$place"
mounted=
leave() {
  if [ "$mounted" = linux ]; then umount "$place"; fi
  if [ "$mounted" = macos ]; then hdiutil detach -quiet -force "$place"; fi
  mounted=
}
trap 'leave; rm -rf "$scratch"' EXIT

make_linux() {
  truncate -s 512m "$scratch/image"
  "mkfs.$1" -q "$scratch/image"
  mount -o loop "$scratch/image" "$place"
  mounted=linux
}

make_macos() {
  hdiutil create -quiet -size 512m -fs "$1" -volname seatkit "$scratch/image.dmg"
  hdiutil attach -quiet -nobrowse -mountpoint "$place" "$scratch/image.dmg"
  mounted=macos
}

system=linux
kinds=("${on_linux[@]}")
if [ "$(uname)" = Darwin ]; then
  system=macos
  kinds=("${on_macos[@]}")
fi
if [ $# -gt 0 ]; then kinds=("$@"); fi
tried=0
for kind in "${kinds[@]}"; do
  if [ $system = linux ] && ! command -v "mkfs.$kind" >/dev/null; then
    echo "SKIPPED: no mkfs.$kind here"
    continue
  fi
  rm -f "$scratch"/image*
  "make_$system" "$kind"
  echo "== $kind"
  TMPDIR=$place cargo test --quiet --locked --lib --test inbox -- inbox:: durable finding hostile races storm truncation
  leave
  tried=$((tried + 1))
done
if [ $tried -eq 0 ]; then
  echo "no volume could be made here" >&2
  exit 1
fi
echo "the inbox's tests pass on $tried volumes"
