"""A provider that fails, with the Python standard library alone: written from the interface's description, apart from
the sandbox and from the client, so that it shares no mistake with either.

It serves what a lender calls (E2, E3, E5 to E9) on a loopback port, loses, delays and garbles answers by a seed, and
keeps the truth: which orders of money it carried out, how often each was sent, and what it was told.
"""

import json
import random
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

FATES = ["done"] * 5 + [
    "refused",  # a code that is not 00; asked later, it says FAILED
    "lost_before",  # the connection is reset, and nothing happened
    "lost_after",  # carried out, and the connection is reset
    "error_before",  # HTTP 500, and nothing happened
    "error_after",  # carried out, and HTTP 502
    "garbled",  # carried out, and an answer that is no JSON
    "slow",  # carried out, and answered late
    "late",  # the connection is reset, and it is carried out a moment later
    "pending",  # carried out; asked at first, it says PENDING
]


class Truth:
    """What really happened, whatever was answered."""

    def __init__(self, seed):
        self.lock = threading.Lock()
        self.random = random.Random(seed)
        self.faults = True
        self.orders = {}  # transaction id -> {kind, loan, amount, moved, posts, asked, fate, answered_not_sent}
        self.messages = []
        self.offers = {}
        self.violations = []

    def fate(self):
        with self.lock:
            return self.random.choice(FATES) if self.faults else "done"

    def chance(self, share):
        with self.lock:
            return self.faults and self.random.random() < share

    def order(self, kind, body, fate):
        """Stores an order. The same id with another content is a violation, and so is a second post."""
        with self.lock:
            key = body["transactionId"]
            known = self.orders.get(key)
            if known:
                known["posts"] += 1
                self.violations.append(f"{key} was sent {known['posts']} times (first: {known['fate']})")
                if (known["kind"], known["loan"], known["amount"]) != (kind, body["loanId"], body["amount"]):
                    self.violations.append(f"{key} was sent with another content")
                return known
            self.orders[key] = {
                "kind": kind,
                "loan": body["loanId"],
                "customer": body["customerId"],
                "amount": body["amount"],
                "moved": None,
                "posts": 1,
                "asked": 0,
                "fate": fate,
            }
            return self.orders[key]

    def settle(self, order, moved):
        with self.lock:
            if order["moved"] is None:
                order["moved"] = moved


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    truth: Truth
    statement: bytes

    def log_message(self, *_):
        pass

    def body(self):
        length = int(self.headers.get("content-length") or 0)
        return json.loads(self.rfile.read(length) or b"{}")

    def answer(self, status, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def ok(self, **more):
        self.answer(200, {"responseCode": "00", "responseMessage": "Successful", **more})

    def do_GET(self):
        try:
            self.get()
        except (BrokenPipeError, ConnectionResetError, OSError):
            self.close_connection = True

    def do_POST(self):
        try:
            self.post()
        except (BrokenPipeError, ConnectionResetError, OSError):
            self.close_connection = True

    def get(self):
        url = urlparse(self.path)
        parts = url.path.strip("/").split("/")
        if "customer-details" in parts:
            if self.truth.chance(0.1):
                return self.answer(503, {"responseCode": "91", "responseMessage": "busy"})
            return self.answer(200, self.statement)
        if "transactions" in parts:
            return self.ask(parts[-1], parse_qs(url.query))
        return self.answer(404, {"responseCode": "25", "responseMessage": "no such thing"})

    def ask(self, key, query):
        if self.truth.chance(0.15):
            return self.answer(500, {})
        with self.truth.lock:
            order = self.truth.orders.get(key)
            # An order that has not been carried out yet is one that has not arrived.
            if order is None or order["moved"] is None:
                word, reference = "NOT_FOUND", None
            else:
                order["asked"] += 1
                if order["fate"] == "pending" and order["asked"] < 3:
                    word, reference = "PENDING", None
                else:
                    word = "SUCCESSFUL" if order["moved"] else "FAILED"
                    reference = f"PY|{key}" if order["moved"] else None
        more = {"transactionRef": reference} if reference else {}
        return self.ok(transactionId=key, loanId=query.get("loanId", [""])[0], status=word, **more)

    def post(self):
        url = urlparse(self.path)
        parts = url.path.strip("/").split("/")
        body = self.body()
        if parts[-1] == "send-offers":
            if self.truth.chance(0.1):
                return self.reset()
            with self.truth.lock:
                self.truth.offers[parts[-2]] = parse_qs(url.query)
            return self.ok()
        if parts[-1] == "verify":
            return self.answer(503, {}) if self.truth.chance(0.1) else self.ok(accountName="ADA OBI")
        if parts[-1] == "sms":
            if self.truth.chance(0.2):
                return self.answer(500, {})
            with self.truth.lock:
                self.truth.messages.append((body["loanId"], body["message"]))
            return self.ok()
        if parts[-1] in ("fund", "debit"):
            return self.money(parts[-1], parts[-2], body)
        return self.answer(404, {"responseCode": "25", "responseMessage": "no such thing"})

    def money(self, kind, loan, body):
        fate = self.truth.fate()
        if loan != body["loanId"]:
            return self.answer(400, {"responseCode": "30", "responseMessage": "the loan differs"})
        if fate == "lost_before":
            # It was sent, and never arrived.
            return self.reset()
        if fate == "error_before":
            return self.answer(500, {})
        order = self.truth.order(kind, body, fate)
        if fate == "late":
            timer = threading.Timer(self.truth.random.uniform(0.1, 1.0), self.truth.settle, (order, True))
            timer.daemon = True
            timer.start()
            return self.reset()
        if fate == "refused":
            self.truth.settle(order, False)
            return self.answer(200, {"responseCode": "51", "responseMessage": "insufficient funds"})
        self.truth.settle(order, True)
        if fate == "lost_after":
            return self.reset()
        if fate == "error_after":
            return self.answer(502, b"bad gateway")
        if fate == "garbled":
            return self.answer(200, b'{"responseCode": "0')
        if fate == "slow":
            time.sleep(self.truth.random.uniform(0.05, 0.6))
        key = body["transactionId"]
        return self.ok(transactionRef=f"PY|{key}", transactionId=key)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        # A lender that is killed leaves broken connections.
        pass


def start(truth, statement):
    """Serves on a free loopback port. Returns the server, whose `server_port` is the port."""
    handler = type("Bound", (Handler,), {"truth": truth, "statement": statement})
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
