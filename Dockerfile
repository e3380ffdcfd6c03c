# The daemon as an image: docker build -t reactord . && docker run -p 8080:8080 reactord
#
# The image has the binary, the libraries that it loads, and no shell, package manager or setuid program.

FROM swift:6.3-bookworm AS build
WORKDIR /build

# Ordered by frequency of change, so that an edit of the sources reuses the installed packages.
COPY config/install-packages config/debian-packages.txt config/
RUN config/install-packages build && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb

COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
COPY config/release-flags config/function-order.txt config/
RUN swift build $(config/release-flags) --product reactord \
  && strip -o /tmp/reactord .build/release/reactord
COPY config/image-root config/version config/
RUN config/image-root /image /tmp/reactord "$(config/version)"

FROM scratch
ARG REVISION=unknown
ARG VERSION=unknown

COPY --from=build /image /

LABEL org.opencontainers.image.title="reactord" \
  org.opencontainers.image.description="A server for state: hosts reactors over HTTP and streams their States" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.licenses="Apache-2.0"

USER 10001:0
WORKDIR /var/lib/reactord
VOLUME /var/lib/reactord

# A loopback address inside a container cannot be reached from outside.
ENV REACTORD_LISTEN=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["reactord", "health"]

STOPSIGNAL SIGTERM
ENTRYPOINT ["reactord"]
CMD ["serve"]
