"""Peers that a client meets in the place of a daemon: none of them is one. Each listens on a Unix socket in a thread.

HTTP/2 and protobuf are written by hand, as far as a client of ours needs them: calls come one after the other, so the number of the stream
tells which it is (1: Hello, 3: Lookup, 5: Translate).
"""
import contextlib
import socket
import struct
import threading
import time

DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, ACK, END_HEADERS = 1, 1, 4
HELLO, LOOKUP, TRANSLATE = 1, 3, 5


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name: str, value: str) -> bytes:
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def message(payload: bytes) -> bytes:
    return b"\0" + struct.pack(">I", len(payload)) + payload


def field(number: int, payload: bytes) -> bytes:
    """A protobuf field of bytes, shorter than 128."""
    return bytes([number << 3 | 2, len(payload)]) + payload


def schema_of(hello: bytes) -> bytes:
    """The 16 bytes of field 3."""
    at = hello.index(b"\x1a\x10")
    return hello[at + 2:at + 18]


BEAT = field(3, b"")


class Peer:
    """Accepts connections; each is served by `serve(connection)` in a thread of its own."""

    def __init__(self, path):
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        self.connections = 0
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self):
        # Closing alone would not wake the thread, and the socket would go on listening.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, contextlib.suppress(OSError):
            self.serve(connection)

    def serve(self, connection):
        """Reads and never answers."""
        while connection.recv(65536):
            pass


class Noise(Peer):
    def serve(self, connection):
        connection.recv(65536)
        connection.sendall(bytes(range(256)) * 20)


class Hangup(Peer):
    def serve(self, connection):
        connection.recv(65536)


class GrpcPeer(Peer):
    """Answers Hello; `on_lookup` and `on_translate` take (connection, stream) and say the rest."""

    def __init__(self, path, on_lookup=None, on_translate=None, hello_status="0", schema=None):
        self._schema, self._hello_status = schema, hello_status
        self._on = {LOOKUP: on_lookup or self.empty_reply, TRANSLATE: on_translate or (lambda connection, stream: None)}
        super().__init__(path)

    def serve(self, connection):
        buffer = connection.recv(65536).removeprefix(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        connection.sendall(frame(SETTINGS, 0, 0) + frame(SETTINGS, ACK, 0))
        while True:
            while len(buffer) >= 9 and len(buffer) >= 9 + (size := int.from_bytes(buffer[:3], "big")):
                self._take(connection, buffer[3], int.from_bytes(buffer[5:9], "big"), buffer[9:9 + size])
                buffer = buffer[9 + size:]
            more = connection.recv(65536)
            if not more:
                return
            buffer += more

    def _take(self, connection, kind, stream, payload):
        if kind != DATA or not payload:
            return
        if stream == HELLO:
            schema = self._schema or schema_of(payload)
            self.reply(connection, stream, b"\x08\x01" + field(3, schema), self._hello_status)
        elif stream in self._on:
            threading.Thread(target=self._quietly, args=(self._on.pop(stream), connection, stream), daemon=True).start()

    @staticmethod
    def _quietly(answer, connection, stream):
        with contextlib.suppress(OSError):
            answer(connection, stream)

    @staticmethod
    def begin(connection, stream):
        connection.sendall(frame(HEADERS, END_HEADERS, stream, b"\x88" + literal("content-type", "application/grpc")))

    @staticmethod
    def end(connection, stream, status="0"):
        connection.sendall(frame(HEADERS, END_HEADERS | END_STREAM, stream, literal("grpc-status", status)))

    @classmethod
    def reply(cls, connection, stream, payload, status="0"):
        cls.begin(connection, stream)
        if status == "0":
            connection.sendall(frame(DATA, 0, stream, message(payload)))
        cls.end(connection, stream, status)

    @classmethod
    def empty_reply(cls, connection, stream):
        cls.reply(connection, stream, b"")

    @classmethod
    def beats(cls, connection, stream, count=10**9):
        cls.begin(connection, stream)
        for _ in range(count):
            connection.sendall(frame(DATA, 0, stream, message(BEAT)))
            time.sleep(0.05)
