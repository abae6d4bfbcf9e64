"""Runs scim2-tester against a library: scim-check.py ADDRESS SECRET."""

import sys
import time

from httpx2 import Client, TransportError
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

LEAST = 60  # successes

address, secret = sys.argv[1:]
http = Client(base_url=address, headers={"Authorization": "Bearer " + secret})
for _ in range(600):
    try:
        if http.get("/ServiceProviderConfig").status_code == 200:
            break
    except TransportError:
        pass
    time.sleep(0.1)
results = check_server(SyncSCIMClient(http))
good = [r for r in results if r.status == Status.SUCCESS]
bad = [r for r in results if r.status in (Status.ERROR, Status.CRITICAL)]
for r in bad:
    print(r.status.name, r.title, r.reason, r.data)
print(len(good), "successes,", len(bad), "errors,", len(results), "in all")
sys.exit(1 if bad or len(good) < LEAST else 0)
