# Plumbline with everything that its commands can use: k6 for loads, Python for the worker and the probe. See docs/docker.md.

FROM golang:1.26-bookworm AS k6
WORKDIR /k6
COPY load/k6/go.mod load/k6/go.sum ./
# Without cgo it runs in any image.
RUN CGO_ENABLED=0 go build -trimpath -ldflags=-s -o /out/k6 go.k6.io/k6/v2

# Not Alpine: the Node of packages/node, which npm scripts take, needs glibc.
FROM node:24-bookworm-slim AS package
WORKDIR /src
COPY . .
RUN npm ci
RUN npm pack --ignore-scripts --pack-destination /tmp \
  && mkdir /out \
  && tar --extract --gzip --file /tmp/plumbline-conformance-*.tgz --directory /out --strip-components=1
WORKDIR /src/installed
RUN cp ../package.json ../package-lock.json . \
  && npm ci --omit=dev --workspaces=false --ignore-scripts \
  && mv node_modules /out

FROM node:24-bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 ca-certificates \
  && rm -rf /var/lib/apt/lists/*
COPY --from=k6 /out/k6 /usr/local/bin/k6
COPY --from=package /out /opt/plumbline
# The folder of target files and reports.
WORKDIR /work
RUN chown 1000:1000 /work && ln -s /opt/plumbline/bin/plumbline.js /usr/local/bin/plumbline
USER 1000:1000
EXPOSE 8080
# For serve on its usual port; it says nothing about other commands.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/openapi.json').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["plumbline"]
CMD ["--help"]
