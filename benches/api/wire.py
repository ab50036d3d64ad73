"""HTTP as little as a load needs: the generator shares the cores of the service, so it must take few of them.

Connections send ready bytes. `call_in_turn` sends the next request when the last is answered. `call_when_due` sends at
times of its own, as callers do who know nothing of each other, and times each request from the moment it was due.
"""

import asyncio
import contextlib
import dataclasses
import random
import socket
import time

# Below the service's own bound on connections.
CONNECTIONS_MAX = 900
CHUNK = 1 << 18


@dataclasses.dataclass(slots=True)
class Call:
    """One request and its answer, in seconds of one clock."""

    due: float
    begun: float = 0.0
    sent: float = 0.0
    answered: float = 0.0
    status: int = 0
    body: bytes = b""


class Connection:
    """A connection that is opened again where the service closed it."""

    def __init__(self, address: tuple[str, int]):
        self.address = address
        self.socket: socket.socket | None = None

    async def call(self, call: Call, request: bytes) -> None:
        """Sends a request, and reads the whole answer."""
        loop = asyncio.get_running_loop()
        call.begun = time.perf_counter()
        if self.socket is None:
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self.socket.setblocking(False)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.sock_connect(self.socket, self.address)
        # A service that answers early and closes has answered all the same.
        with contextlib.suppress(ConnectionError):
            await loop.sock_sendall(self.socket, request)
        call.sent = time.perf_counter()
        answer = await self._read(loop)
        call.answered = time.perf_counter()
        head, _, call.body = answer.partition(b"\r\n\r\n")
        call.status = int(head[9:12])
        if b"connection: close" in head.lower():
            self.close()

    async def _read(self, loop: asyncio.AbstractEventLoop) -> bytes:
        answer, length = bytearray(), None
        while length is None or len(answer) < length:
            piece = await loop.sock_recv(self.socket, CHUNK)
            if not piece:
                raise ConnectionError(f"the service closed the connection after {bytes(answer[:200])!r}")
            answer += piece
            if length is None and (end := answer.find(b"\r\n\r\n")) >= 0:
                length = end + 4 + content_length(bytes(answer[:end]))
        return bytes(answer)

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()
            self.socket = None


def content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line[15:])
    raise ValueError(f"an answer without a length: {head!r}")


def post(path: str, body: bytes) -> bytes:
    """The bytes of a request with JSON."""
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


async def call_once(address: tuple[str, int], request: bytes) -> Call:
    """One request on a connection of its own."""
    connection, call = Connection(address), Call(due=time.perf_counter())
    await connection.call(call, request)
    connection.close()
    return call


async def call_in_turn(address: tuple[str, int], requests: list[bytes], connections: int, seconds: float) -> list[Call]:
    """On each connection one request after the other, until the time is over."""
    end = time.perf_counter() + seconds
    done: list[Call] = []

    async def caller(first: int) -> None:
        connection, at = Connection(address), first
        while time.perf_counter() < end:
            call = Call(due=time.perf_counter())
            await connection.call(call, requests[at % len(requests)])
            done.append(call)
            at += connections
        connection.close()

    await asyncio.gather(*(caller(first) for first in range(connections)))
    return done


async def call_when_due(address: tuple[str, int], requests: list[bytes], rate: float, seconds: float) -> list[Call]:
    """So many requests per second, at random times that are the same in every run."""
    chance, done, running = random.Random(7), [], set()
    idle = [Connection(address) for _ in range(CONNECTIONS_MAX)]
    free = asyncio.Semaphore(CONNECTIONS_MAX)

    async def send(call: Call, request: bytes) -> None:
        async with free:
            # The one that was used last: few are open where few are needed.
            connection = idle.pop()
            try:
                await connection.call(call, request)
            finally:
                idle.append(connection)
        done.append(call)

    due = began = time.perf_counter()
    while due < began + seconds:
        wait = due - time.perf_counter()
        await asyncio.sleep(max(wait, 0))
        task = asyncio.create_task(send(Call(due=due), requests[(len(done) + len(running)) % len(requests)]))
        running.add(task)
        task.add_done_callback(running.discard)
        due += chance.expovariate(rate)
    await asyncio.gather(*running)
    for connection in idle:
        connection.close()
    return done
