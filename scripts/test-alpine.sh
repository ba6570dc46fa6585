#!/bin/sh
# Runs the JavaScript tests on the musl addon that stands in the project's root, in an Alpine
# container of the given Node: `sh scripts/test-alpine.sh 24`.
set -eu
cd "$(dirname "$0")/.."
docker run --rm --env CI --volume "$PWD":/seatkit --workdir /seatkit "node:${1:?name a Node version}-alpine" \
  sh -c "apk add --no-cache bash && bash .ci/tools && npm ci --no-audit --no-fund && npm run test:built"
