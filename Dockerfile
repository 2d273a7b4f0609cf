# syntax=docker/dockerfile:1

# The digest is that of the index with amd64 and arm64. Renovate replaces tag and digest together.
FROM node:24-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7 AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json ./
COPY scripts/clone scripts/clone
COPY packages/platform/package.json packages/platform/
COPY packages/local-discord/package.json packages/local-discord/
COPY packages/listing-service/package.json packages/listing-service/
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.base.json tsconfig.build.json ./
COPY packages packages
COPY src src
COPY commands commands
COPY config config
COPY locales locales
COPY scripts scripts
RUN npm run build

FROM base AS program
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=sqlite:/data/tallyhook.db \
    CACHE_URL=sqlite:/data/cache.db
# Under load, V8 would otherwise let the young generation of each thread grow to 128 MB, which makes no vote faster.
ENV NODE_OPTIONS=--max-semi-space-size=16
# The program brings its packages along, except for the one that draws pictures, which has native code.
COPY --from=build /app/dist/program dist/program
COPY --from=build /app/node_modules/@takumi-rs node_modules/@takumi-rs
COPY package.json LICENSE .env.example ./
# A new named volume that is mounted at /data gets this owner. There is no VOLUME: it would hide that nothing is mounted, in a
# volume without a name, and some hosts reject it.
RUN mkdir /data dist/.compile-cache && chown node:node /data dist/.compile-cache
# `docker compose exec tallyhook tallyhook doctor`, and `init` in a directory that is mounted anywhere.
RUN ln -s /app/dist/program/launch.js /usr/local/bin/tallyhook
USER node
# What a start loads lies there compiled then: nothing can be written there later.
RUN tallyhook start --compile
EXPOSE 3000
# Whether the process responds, and nothing else: a restart repairs neither Discord nor a full disk. For a load balancer that is
# GET /readyz?role=receive, for a monitor GET /readyz.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# docker build --target listing-service: the listing service alone.
FROM program AS listing-service
ENV SERVICE_DATABASE_URL=sqlite:/data/service.db
ENTRYPOINT ["tallyhook", "service", "--host", "0.0.0.0", "--port", "3000"]

FROM program
# No shell and no npm in between, so that SIGTERM reaches the program.
ENTRYPOINT ["tallyhook"]
CMD ["start"]
# Last, because they differ in every build.
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="tallyhook" \
      org.opencontainers.image.description="Votes on top.gg and other listing sites become credits, roles and announcements in Discord." \
      org.opencontainers.image.source="https://github.com/tallyhook/tallyhook" \
      org.opencontainers.image.documentation="https://github.com/tallyhook/tallyhook#readme" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/node:24-bookworm-slim"
