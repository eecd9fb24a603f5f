# docker build -t incerta .
# docker run --rm -v "$PWD:/data" --user "$(id -u):$(id -g)" incerta fit table.csv …
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/incerta \
    && /opt/incerta/bin/pip install --no-cache-dir ".[cli,report,io,fast]"

FROM python:3.13-slim
COPY --from=build /opt/incerta /opt/incerta
RUN useradd --create-home --uid 1000 incerta
USER incerta
WORKDIR /data
# Whoever runs it may have no home to write to.
ENV PATH="/opt/incerta/bin:$PATH" NUMBA_CACHE_DIR=/tmp
ENTRYPOINT ["incerta"]
CMD ["--help"]
