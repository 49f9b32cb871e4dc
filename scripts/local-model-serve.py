"""local-model-serve.py MODEL.gguf [CONTEXT]: a small model behind llama.cpp's own server, for tests.

Listens on a free port of loopback and prints its address as one line. Ends when its standard input ends, so that it
never outlives whoever started it, or on SIGTERM.
"""

import os
import signal
import socket
import sys

import xllamacpp


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    settings = xllamacpp.CommonParams()
    settings.model.path = sys.argv[1]
    settings.hostnames = ["127.0.0.1"]
    settings.port = free_port()
    settings.n_ctx = int(sys.argv[2]) if len(sys.argv) > 2 else 4096
    settings.n_parallel = 1
    settings.use_jinja = True
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    while sys.stdin.buffer.read(4096):
        pass
    # The server's threads wait for requests; nothing needs to be put away.
    os._exit(0)


main()
