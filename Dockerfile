# The local mode in a container: the book with its cells to be run on the page, below /book, and JupyterLab beside it,
# both kernels, the optional programs but artillery and pm2. On Binder: ?urlpath=book
#   docker build -t nodejs-io-measured . && docker run --rm -p 127.0.0.1:8888:8888 nodejs-io-measured
# Measure on the machine itself if you can: a container's network and quota are part of every figure.
# A codespace needs only the first stage: its folder is mounted, and set up there once (.devcontainer).
FROM node:24-trixie-slim@sha256:50c3b2f6988dfc307b86e5301d69611af31f4789bdf232863b07d3b02fe55ae0 AS programs
RUN apt-get update \
    && apt-get install -y --no-install-recommends make git python3 python3-venv strace nginx wrk apache2-utils hey thin \
    && rm -rf /var/lib/apt/lists/*
USER node

FROM programs
# Engines without BuildKit make the folder of WORKDIR root's own, whoever USER is: it is made here, as node.
RUN mkdir /home/node/course
WORKDIR /home/node/course
COPY --chown=node:node . .
RUN make setup-lab && make replay
ENV PATH=/home/node/course/.venv/bin:$PATH
EXPOSE 8888
CMD ["python", "-m", "lab.live", "--ip", "0.0.0.0", "--no-browser"]
