#!/bin/sh
# Make the base image of containers/Containerfile from Debian's packages, for places that reach no image registry.
# The archive is made once a suite and machine and kept in the user's cache; the import takes a second.
#
#   containers/base.sh podman            -> prints the name of the image: localhost/fourthreads-base:bookworm
#   SUITE=trixie containers/base.sh docker
#
# Where packages come from: this machine's own apt sources if it runs the same suite, else mmdebstrap's default.
set -eu

engine=${1:-podman}
suite=${SUITE:-bookworm}
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/fourthreads/containers
architecture=$(dpkg --print-architecture)
archive=$cache/base-$suite-$architecture.tar
image=localhost/fourthreads-base:$suite

command -v "$engine" >/dev/null || { echo "base.sh: no $engine here: install podman or docker first" >&2; exit 2; }

if [ ! -s "$archive" ]; then
    command -v mmdebstrap >/dev/null || { echo "base.sh: install mmdebstrap (apt-get install mmdebstrap)" >&2; exit 2; }
    mkdir -p "$cache"
    part=$(mktemp "$cache/base.XXXXXX.tar")
    trap 'rm -f "$part"' EXIT INT TERM

    # What Debian's own slim image leaves out. Licences stay.
    set -- --quiet --variant=minbase --format=tar \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/info/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-include=/usr/share/doc/*/copyright'
    sources=/etc/apt/sources.list.d/debian.sources
    if [ -r "$sources" ] && grep -q "^Suites: .*$suite" "$sources"; then
        mmdebstrap "$@" "$suite" "$part" - <"$sources" >&2
    else
        mmdebstrap "$@" "$suite" "$part" >&2
    fi
    mv "$part" "$archive"
fi

"$engine" image inspect "$image" >/dev/null 2>&1 || "$engine" import "$archive" "$image" >/dev/null
echo "$image"
