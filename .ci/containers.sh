# Sourced by .ci/run: what this kind of machine needs to build and run containers. Nothing in the code knows about it.
#
# No image registry is reachable, so the base comes from Debian's packages (kept in the user's cache between runs). The way to
# the package indexes leads through the machine's own network and its certificates.
export CONTAINERS_CONF="$PWD/.ci/containers.conf"
FOURTHREADS_BASE=$(sh containers/base.sh podman)
FOURTHREADS_BUILD_OPTIONS="--network host --build-arg BASE=$FOURTHREADS_BASE"
if [ -s "${SSL_CERT_FILE:-}" ]; then
    FOURTHREADS_BUILD_OPTIONS="$FOURTHREADS_BUILD_OPTIONS --secret id=certificates,src=$SSL_CERT_FILE"
fi
export FOURTHREADS_BUILD_OPTIONS
