# hcr in a container:
#     docker build -t hcr . && docker run --rm -v "$PWD/out:/hcr/out" hcr
# trains on real hourly series, forecasts and draws them into out/ (make demo); `docker run --rm -it hcr bash` has the
# command as /hcr/build/hcr.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends make
WORKDIR /hcr
COPY scripts/packages scripts/
RUN scripts/packages build
COPY . .
RUN make
CMD ["make", "demo"]
