# syntax=docker/dockerfile:1

FROM node:24-slim AS build
WORKDIR /source
COPY . .
RUN npx -y pnpm@12.21.0 install --frozen-lockfile \
    && npx -y pnpm@12.21.0 exec turbo run build --filter=@mobius-mcp/gateway \
    && npx -y pnpm@12.21.0 --filter-prod=@mobius-mcp/gateway... pack --pack-destination "$PWD/packed"

FROM node:24-slim
WORKDIR /mobius
COPY --from=build /source/packed packed
RUN npm install --global --no-audit --no-fund ./packed/*.tgz \
    && rm -r packed \
    && mkdir state \
    && chown 1000:1000 state
ENV MOBIUS_STATE=/mobius/state \
    MOBIUS_CONFIG=/mobius/mobius.yaml \
    MOBIUS_LISTEN=0.0.0.0:8420
VOLUME /mobius/state
EXPOSE 8420
USER 1000:1000
HEALTHCHECK CMD ["node", "-e", "const { MOBIUS_LISTEN: at } = process.env; fetch(`http://127.0.0.1:${at.split(':').at(-1)}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["mobius"]
CMD ["serve"]
