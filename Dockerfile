# The daemon as an image: docker build -t reactord . && docker run -p 8080:8080 reactord

FROM swift:6.3-bookworm AS build
WORKDIR /build

# Ordered by frequency of change, so that an edit of the sources reuses the installed packages.
COPY config/install-packages config/debian-packages.txt config/
RUN config/install-packages build && rm -rf /var/lib/apt/lists/*

COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product reactord \
  && strip -o /usr/local/bin/reactord .build/release/reactord

FROM debian:bookworm-slim

COPY config/install-packages config/debian-packages.txt /tmp/config/
RUN /tmp/config/install-packages run && rm -rf /var/lib/apt/lists/* /tmp/config

# The daemon runs as a user of its own that owns only the data folder.
RUN groupadd --gid 10001 reactord \
  && useradd --uid 10001 --gid reactord --home-dir /var/lib/reactord --no-create-home \
    --shell /usr/sbin/nologin reactord \
  && install --directory --owner reactord --group reactord --mode 0750 /var/lib/reactord
COPY --from=build /usr/local/bin/reactord /usr/local/bin/reactord

LABEL org.opencontainers.image.title="reactord" \
  org.opencontainers.image.version="0.2.0" \
  org.opencontainers.image.licenses="Apache-2.0"

USER 10001:10001
WORKDIR /var/lib/reactord
VOLUME /var/lib/reactord

# A loopback address inside a container cannot be reached from outside.
ENV REACTORD_LISTEN=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["reactord", "health"]

STOPSIGNAL SIGTERM
ENTRYPOINT ["reactord"]
CMD ["serve"]
