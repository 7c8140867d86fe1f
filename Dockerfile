# syntax=docker/dockerfile:1
FROM golang:1.26-bookworm AS build
ARG VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# SQLite is C, and the tag builds its full-text search in.
RUN CGO_ENABLED=1 go build -trimpath -buildvcs=false -tags sqlite_fts5 -ldflags "-s -w -X main.version=${VERSION}" \
    -o /out/samepage ./cmd/samepage && mkdir /out/data

# It has the C library, the certificates of authorities and the time zones, and no shell.
FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /out/samepage /usr/local/bin/samepage
COPY --from=build --chown=nonroot:nonroot /out/data /data
USER nonroot
# Other machines reach the container, so serve needs SAMEPAGE_ORIGIN too, and says so.
ENV SAMEPAGE_DATA=/data SAMEPAGE_LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=6s --start-period=10s --retries=3 CMD ["/usr/local/bin/samepage", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/samepage"]
CMD ["serve"]
