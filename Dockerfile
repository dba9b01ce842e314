# hcr, built from its sources, with the command, the library and the demonstration:
#     docker build -t hcr . && docker run --rm -v "$PWD/out:/hcr/out" hcr make demo
FROM debian:12-slim
COPY . /hcr
WORKDIR /hcr
RUN apt-get update && apt-get install -y --no-install-recommends make && make all install && rm -rf /var/lib/apt/lists/*
CMD ["hcr", "--help"]
