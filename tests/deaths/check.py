"""Kills the lender's service while it works, and compares what it has with the provider's truth.

Customers ask, accept, pay and ask again whenever they get no answer, as providers do. The service is killed by SIGKILL
at any moment and started again. At the end no money may have been sent twice, no promised loan may be missing, and
every loan must be at rest or wait for a person.
"""

import argparse
import collections
import http.client
import json
import os
import random
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import urlencode

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import provider  # noqa: E402

POLICY = """\
[policy]
name = "deaths"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[metric]
income = "SUM(credit)"

[[require]]
id = "INCOME"
when = "income > 1000"
reason = "Only {income} came in"

[[offer]]
id = "short"
tenure = 30
amount = "0.10 * income"
interest = 3
valid_for_days = 200
part_payment = true

[[offer]]
id = "long"
tenure = 60
instalments = 2
amount = "0.15 * income"
interest = 3
valid_for_days = 200
part_payment = true
"""

RESTS = {
    "offered", "declined", "expired", "referred", "account_wrong", "funding_failed", "cancelled", "open",
    "collection_failed", "closed", "overpaid", "written_off", "review",
}


def statement():
    days = [time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86400 * back)) for back in range(90, 0, -10)]
    records = [
        {"id": f"R{number}", "credit": 2500.50, "trans_date": day, "notes": {"desc": "SALARY"}}
        for number, day in enumerate(days)
    ]
    return json.dumps({"_id": "1", "status": "success", "message": "ok", "data": {"transactions": records}}).encode()


class Service:
    """The service under test, in a folder of its own."""

    def __init__(self, binary, folder, provider_port, store):
        self.binary, self.folder, self.store = os.path.abspath(binary), folder, store
        self.provider_port, self.ahead_days, self.process = provider_port, 0, None
        self.ports = [self.free_port(), self.free_port()]
        self.recoveries = []
        keys = f"1:{secrets.token_hex(32)}\nlookup:{secrets.token_hex(32)}\n"
        for name, text in [("policy.toml", POLICY), ("keys", keys), ("token", "a-token"), ("password", "a-password")]:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o600)
        with open(os.path.join(folder, "provider.toml"), "w", encoding="utf-8") as file:
            file.write('provider_code = "LENDER"\n[limits]\ntotal_timeout_ms = 2000\nretry_budget_ms = 1000\n')

    @staticmethod
    def free_port():
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return free.getsockname()[1]

    def write_config(self):
        store = f'url = "{self.store}"' if self.store else 'path = "lender.sqlite"'
        text = f"""\
[store]
{store}
keys_file = "keys"
[policy]
path = "policy.toml"
threads = 1
[provider]
settings = "provider.toml"
base_url = "http://127.0.0.1:{self.provider_port}"
token = {{ file = "token" }}
channel_terminal_id = "TERM1"
[[credentials]]
username = "provider"
password = {{ file = "password" }}
[listen]
address = "127.0.0.1:{self.ports[0]}"
[operations]
address = "127.0.0.1:{self.ports[1]}"
[answers]
offers = "now"
deadline_ms = 3000
[money]
settling_minutes = 1
requery_first_ms = 50
requery_longest_ms = 2000
[collection]
retries = [{{ after = "P1D", percent = 100 }}, {{ after = "P2D", percent = 50 }}]
[calls]
look_every_ms = 50
first_wait_ms = 50
longest_wait_ms = 1000
[limits]
requests_per_second = 100000
requests_burst = 100000
[testing]
clock_ahead = "P{self.ahead_days}D"
"""
        with open(os.path.join(self.folder, "serve.toml"), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self):
        self.write_config()
        log = open(os.path.join(self.folder, "log"), "ab")
        config = os.path.join(self.folder, "serve.toml")
        if not self.recoveries:
            subprocess.run([self.binary, "serve", "--config", config, "--init"], stdout=log, stderr=log, check=True)
        began = time.monotonic()
        self.process = subprocess.Popen(
            [self.binary, "serve", "--config", config], stdout=log, stderr=log
        )
        while True:
            if self.process.poll() is not None:
                with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as text:
                    sys.exit("the service does not start:\n" + text.read()[-3000:])
            if self.is_ready():
                break
            if time.monotonic() - began > 60:
                sys.exit("the service is not ready after a minute")
            time.sleep(0.005)
        self.recoveries.append(time.monotonic() - began)

    def is_ready(self):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.ports[1], timeout=2)
            connection.request("GET", "/health/ready")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def call(self, method, path, query=None, body=None):
        """One call of the provider. `None` if it has no answer."""
        headers = {"username": "provider", "password": "a-password", "accept": "application/json"}
        data = None
        if body is not None:
            data, headers["content-type"] = json.dumps(body), "application/json"
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.ports[0], timeout=8)
            connection.request(method, path + ("?" + urlencode(query) if query else ""), data, headers)
            reply = connection.getresponse()
            text = reply.read()
            return reply.status, json.loads(text or b"{}")
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def query(self, sql):
        if self.store:
            return self.cluster.query(sql)
        with sqlite3.connect(f"file:{self.folder}/lender.sqlite?mode=ro", uri=True) as database:
            return [[("" if cell is None else str(cell)) for cell in row] for row in database.execute(sql)]


class Customers(threading.Thread):
    """Asks, accepts and pays, and repeats whatever had no answer."""

    def __init__(self, service, truth, number, seed):
        super().__init__(daemon=True)
        self.service, self.truth, self.number = service, truth, number
        self.random = random.Random(seed)
        self.stopping = False
        self.promised, self.payments, self.problems = {}, {}, []
        self.asked = 0

    def insist(self, *call):
        """The first answer that is no promise to answer later."""
        while not self.stopping:
            answer = self.service.call(*call)
            if answer and answer[0] not in (429, 500, 502, 503):
                return answer
            time.sleep(self.random.uniform(0.01, 0.1))
        return None

    def run(self):
        while not self.stopping:
            self.asked += 1
            self.one(f"{self.number}-{self.asked}")

    def one(self, name):
        customer = f"C-{name}"
        query = {
            "customerId": customer, "channelCode": "WEB", "amount": 5000000, "serviceType": "LOAN",
            "dateOfBirth": "1990-01-01", "providerCode": "LENDER", "offerRequestReference": f"OR-{name}",
        }
        offers = None
        for _ in range(200):
            answer = self.insist("GET", "/offers", query)
            if answer is None:
                return
            if answer[0] != 200:
                return self.problems.append(f"offers for {name}: {answer}")
            if answer[1].get("offers"):
                offers = answer[1]["offers"]
                break
            time.sleep(0.1)
        if not offers:
            return
        offer = self.random.choice(offers)
        body = {
            "customerId": customer, "offerId": offer["offerId"], "destinationAccountNumber": "0123456789",
            "destinationBankCode": "044", "token": "t", "loanReferenceId": f"LR-{name}", "msisdn": "2348012345678",
        }
        answer = self.insist("POST", f"/offers/{offer['offerId']}/accept", None, body)
        if answer is None:
            return
        if answer[0] != 200 or "loanId" not in answer[1]:
            return self.problems.append(f"acceptance of {name}: {answer}")
        self.promised[answer[1]["loanId"]] = (customer, offer["amountOffered"], offer["amountPayable"])
        if self.random.random() < 0.3:
            again = self.insist("POST", f"/offers/{offer['offerId']}/accept", None, body)
            if again and again[1].get("loanId") != answer[1]["loanId"]:
                self.problems.append(f"the same acceptance of {name} has two answers: {answer}, {again}")
        if self.random.random() < 0.3:
            self.pay(name, customer, answer[1]["loanId"], offer["amountPayable"])

    def pay(self, name, customer, loan, payable):
        minor = self.random.choice([1, payable // 2, payable])
        body = {
            "loanId": loan, "paymentRef": f"PAY-{name}", "customerId": customer,
            "Amount": f"{minor // 100}.{minor % 100:02}",
        }
        self.payments[body["paymentRef"]] = (loan, minor)
        for _ in range(self.random.randint(1, 3)):
            self.insist("POST", "/payment-notification", None, body)


def rest(service, seconds):
    """Waits until nothing is going on. Returns the states that are not at rest."""
    end = time.monotonic() + seconds
    while True:
        now = int(time.time() * 1000) + service.ahead_days * 86_400_000
        busy = service.query(
            "SELECT state, COUNT(*) FROM loans WHERE instance IS NOT NULL OR (wake_at IS NOT NULL AND wake_at <= "
            f"{now + 3000}) GROUP BY state"
        )
        waiting = service.query("SELECT COUNT(*) FROM messages WHERE standing IN ('waiting', 'sending')")
        states = service.query("SELECT state, COUNT(*) FROM loans GROUP BY state")
        unknown = [row for row in states if row[0] not in RESTS]
        if not busy and not unknown and waiting == [["0"]]:
            return []
        if time.monotonic() > end:
            return busy + unknown + [["messages", *waiting[0]]]
        time.sleep(0.5)


def judge(service, truth, customers):
    """What is wrong, by the provider's truth."""
    wrong = list(truth.violations)
    for one in customers:
        wrong += one.problems
    promised = {loan: terms for one in customers for loan, terms in one.promised.items()}
    payments = {ref: paid for one in customers for ref, paid in one.payments.items()}
    loans = service.query("SELECT loan_id, state, owed_minor, body FROM loans WHERE loan_id IS NOT NULL")
    rows = {row[0]: row for row in loans}
    recorded = {row[0]: row for row in service.query("SELECT transaction_id, outcome, amount_minor, kind FROM orders")}
    moved = collections.defaultdict(lambda: collections.defaultdict(list))
    for key, order in truth.orders.items():
        if key not in recorded:
            wrong.append(f"{key} was sent and is not in the book")
        elif recorded[key][1] == "moved" and order["moved"] is not True:
            wrong.append(f"{key} is recorded as moved and has not")
        elif recorded[key][1] in ("not_moved", "withdrawn") and order["moved"]:
            wrong.append(f"{key} is recorded as {recorded[key][1]} and has moved")
        if order["moved"]:
            moved[order["loan"]][order["kind"]].append(order["amount"])
    for key, row in recorded.items():
        if row[1] == "moved" and key not in truth.orders:
            wrong.append(f"{key} is recorded as moved and was never sent")
    posted = collections.Counter()
    for ref, loan, amount, standing in service.query(
        "SELECT payment_ref, loan_id, amount_minor, standing FROM payments"
    ):
        if ref in payments and standing == "posted":
            posted[loan] += int(amount)
        if standing == "received":
            wrong.append(f"payment {ref} was never looked at")
    for loan, (customer, offered, payable) in promised.items():
        if loan not in rows:
            wrong.append(f"the promised loan {loan} is lost")
            continue
        funds, debits = moved[loan]["fund"], moved[loan]["debit"]
        if len(funds) > 1:
            wrong.append(f"{loan} was paid out {len(funds)} times")
        if funds and funds != [offered]:
            wrong.append(f"{loan} was paid out {funds} instead of {offered}")
        if sum(debits) > payable:
            wrong.append(f"{loan}: {sum(debits)} was collected of {payable}")
        body = json.loads(rows[loan][3])
        paid = sum(one["paid_minor"] for one in body["instalments"]) + body["overpaid_minor"]
        known = sum(
            int(row[2])
            for row in recorded.values()
            if row[3] == "debit" and row[1] == "moved" and truth.orders.get(row[0], {}).get("loan") == loan
        )
        if body["instalments"] and paid != known + posted[loan]:
            wrong.append(f"{loan}: {known} collected and {posted[loan]} paid, but {paid} in the account")
        if set(moved[loan]) - {"fund", "debit"}:
            wrong.append(f"{loan}: another kind of order")
    return wrong, promised, rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--customers", type=int, default=4)
    parser.add_argument("--postgres", action="store_true")
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    truth = provider.Truth(asked.seed)
    server = provider.start(truth, statement())
    folder = tempfile.mkdtemp(prefix="lendwright-deaths-")
    cluster = None
    service = None
    try:
        if asked.postgres:
            from cluster import Cluster

            cluster = Cluster()
        service = Service(asked.binary, folder, server.server_port, cluster.url if cluster else None)
        service.cluster = cluster
        service.start()
        customers = [Customers(service, truth, number, asked.seed * 1000 + number) for number in range(asked.customers)]
        for one in customers:
            one.start()
        for kill in range(asked.kills):
            time.sleep(chance.uniform(0.0, 0.4))
            service.kill()
            # From time to time a month passes, so that payments come due.
            if kill % max(1, asked.kills // 6) == max(1, asked.kills // 6) - 1:
                service.ahead_days += 17
            service.start()
            if (kill + 1) % 100 == 0:
                print(f"{kill + 1} kills, {len(truth.orders)} orders of money", file=sys.stderr)
        for one in customers:
            one.stopping = True
        for one in customers:
            one.join(30)
        with truth.lock:
            truth.faults = False
        # Everything that is due is done; then the last payments come due.
        busy = rest(service, 150)
        service.kill()
        service.ahead_days += 70
        service.start()
        busy += rest(service, 150)
        wrong, promised, rows = judge(service, truth, customers)
        states = collections.Counter(row[1] for row in rows.values())
        service.process.send_signal(signal.SIGTERM)
        if service.process.wait(60) != 0:
            wrong.append(f"the service ended with {service.process.returncode}")
        recoveries = sorted(service.recoveries)
        fates = collections.Counter(order["fate"] for order in truth.orders.values())
        print(
            f"{asked.kills} kills, {len(promised)} loans, {len(truth.orders)} orders of money, "
            f"{sum(1 for order in truth.orders.values() if order['moved'])} carried out; "
            f"ready again after {recoveries[len(recoveries) // 2]:.2f} s, at worst {recoveries[-1]:.2f} s"
        )
        print("states:", dict(sorted(states.items())))
        print("fates:", dict(sorted(fates.items())))
        wrong += [f"not at rest: {state}" for state in busy]
        if len(promised) < asked.kills or len(truth.orders) < asked.kills:
            wrong.append("too little happened for this to say anything")
        for problem in wrong[:20]:
            print("WRONG:", problem)
        if wrong:
            kept = f"{folder}-kept"
            shutil.copytree(folder, kept)
            sys.exit(f"{len(wrong)} violations; the folder is kept as {kept}")
    finally:
        if service and service.process and service.process.poll() is None:
            service.process.kill()
            service.process.wait()
        if cluster:
            cluster.stop()
        server.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
