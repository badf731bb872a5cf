# The program and its production dependencies on Node 24. It has no Redis server: REDIS_URL names one.

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build

FROM node:24-slim AS runtime
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
