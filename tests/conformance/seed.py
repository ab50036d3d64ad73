"""Three offers, two loans of which one is funded, a paid bill and some iQRs: what schemathesis then asks about."""

import json
import os
import sys
import urllib.parse
import urllib.request

BASE = os.environ["SANDBOX"]
TOKEN = sys.argv[1]


def call(method, path, body=None, query=None):
    address = BASE + path + ("?" + urllib.parse.urlencode(query) if query else "")
    request = urllib.request.Request(address, method=method, data=json.dumps(body).encode() if body else None)
    request.add_header("Authorization", "Bearer " + TOKEN)
    request.add_header("Accept", "application/json")
    if body:
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def listed(name):
    return json.loads(call("GET", "/sandbox/" + name))


person = listed("people")[0]
customer = person["customerId"]
call("GET", "/lending-service/api/v3/offers", query={
    "customerId": customer, "channelCode": "WEB", "amount": 5000000, "serviceType": "LOAN",
    "dateOfBirth": person["dateOfBirth"], "providerCode": "SANDBOX",
})
reference = listed("requests")[0]["reference"]
for offer in ("O1", "O2", "O3"):
    call("POST", f"/lending-service/api/v1/offers/{reference}/send-offers", query={
        "code": "00", "message": "Successful", "providerCode": "SANDBOX", "offers": 1, "offerId": offer,
        "amountOffered": 5000000, "interest": 3, "amountPayable": 5200000, "fee": 0, "tenure": 30, "terms": "none",
        "expiryDate": "2099-01-01T00:00:00Z", "currency": "566", "isPartPaymentAllowed": "true",
    })
for number in ("1", "2"):
    call("POST", f"/lending-service/api/v1/offers/O{number}/accept", {
        "customerId": customer, "offerId": "O" + number, "destinationAccountNumber": person["accountNumber"],
        "destinationBankCode": person["bankCode"], "token": "t", "loanReferenceId": "R" + number,
    })
loan = listed("loans")[0]["loanId"]
call("POST", f"/lending-service/api/v1/loans/{loan}/fund", {
    "customerId": customer, "loanId": loan, "amount": 5000000, "providerCode": "SANDBOX", "currencyCode": "566",
    "transactionId": "T1", "channelTerminalId": "TERM1", "loanReferenceId": "R1",
})
call("POST", "/api/v1/cqr/request", {"aggregatorID": "A", "transactionRef": "BULK", "quantity": 5})
call("POST", "/collections/api/v1/pay-bill", {
    "merchantCode": "M1", "payableCode": "P1", "amount": 150000, "redirectUrl": "http://localhost/done",
    "customerId": "C1", "currencyCode": 566, "transactionReference": "B1",
})
