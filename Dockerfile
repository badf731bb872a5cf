# The program and its production dependencies on Node 24. It has no Redis server: REDIS_URL names one.
#
# Run it with `--init` (docker-compose.yml does): Node as process 1 would leave ended children behind,
# those of `decrypt` and of MSB_TOKEN_COMMAND.

ARG NODE=node:24.22-slim

FROM ${NODE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund

FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
# Source maps are of no use to the program.
RUN npm run build && find dist -name '*.map' -delete

FROM ${NODE} AS runtime
# Within a stage an argument is known once it is named there.
ARG NODE
LABEL org.opencontainers.image.title="onboard" \
      org.opencontainers.image.description="Bulk-loads partner portfolios into a money-services API: every row sent at most once, every row accounted for" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="docker.io/library/${NODE}"
ENV NODE_ENV=production \
    ONBOARD_HOME=/data \
    ONBOARD_JOBS=/app/jobs
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY jobs ./jobs
# A named volume takes over the owner that the folder has here.
RUN ln -s /app/dist/main.js /usr/local/bin/onboard \
    && mkdir /data \
    && chown node:node /data \
    && chmod 0700 /data
USER node
VOLUME /data
ENTRYPOINT ["onboard"]
CMD ["--help"]
