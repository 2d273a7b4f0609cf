# syntax=docker/dockerfile:1

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY commands commands
COPY config config
COPY scripts scripts
RUN npm run build

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=sqlite:/data/tallyhook.db \
    CACHE_URL=sqlite:/data/cache.db
WORKDIR /app
# The program brings its packages along, except for the one that draws pictures, which has native code.
COPY --from=build /app/dist/program dist/program
COPY --from=build /app/node_modules/@takumi-rs node_modules/@takumi-rs
COPY package.json LICENSE ./
RUN mkdir /data dist/.compile-cache && chown node:node /data dist/.compile-cache
USER node
# Loads what a start loads, so that it lies there compiled: nothing can be written there later.
RUN DISCORD_TOKEN=none node dist/program/launch.js start --help
VOLUME /data
EXPOSE 3000
# Whether the process responds, and nothing else: a restart repairs neither Discord nor a full disk. For a load balancer that is
# GET /readyz?role=receive, for a monitor GET /readyz.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm in between, so that SIGTERM reaches the program.
ENTRYPOINT ["node", "dist/program/launch.js"]
CMD ["start"]
