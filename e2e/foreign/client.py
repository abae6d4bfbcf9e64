"""Sends requests with an HTTP library for Python.

usage: client.py LIBRARY CA < CASES

A line of CASES is the fields of a case, with tabs between: name, method, URL, size
of the body, "chunked" or "length", HTTP version, how many times, and headers as
"Name: value". For every request a line is printed: name, status, and body; or name,
0, and what went wrong.
"""

import asyncio
import ssl
import sys
import urllib.error
import urllib.request

PIECE = b"x" * 65536
TIMEOUT = 20


def pieces(size):
    for _ in range(size // len(PIECE)):
        yield PIECE


def with_urllib(ca):
    context = ssl.create_default_context(cafile=ca)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))

    def send(method, url, headers, body):
        try:
            answer = opener.open(urllib.request.Request(url, body(), headers, method=method), timeout=TIMEOUT)
        except urllib.error.HTTPError as refusal:
            answer = refusal
        return answer.status, answer.read().decode()

    return send


def with_requests(ca):
    import requests

    session = requests.Session()
    session.trust_env = False

    def send(method, url, headers, body):
        answer = session.request(method, url, headers=headers, data=body(), verify=ca, timeout=TIMEOUT)
        return answer.status_code, answer.text

    return send


def with_httpx(ca, http2):
    import httpx

    client = httpx.Client(http2=http2, verify=ca, trust_env=False, timeout=TIMEOUT)

    def send(method, url, headers, body):
        answer = client.request(method, url, headers=headers, content=body())
        if http2 and answer.http_version != "HTTP/2":
            raise RuntimeError("they speak " + answer.http_version)
        return answer.status_code, answer.text

    return send


def with_aiohttp(ca):
    import aiohttp

    async def later(body):
        for piece in body:
            yield piece

    async def send_async(method, url, headers, body):
        data = body()
        if not isinstance(data, bytes):
            data = later(data)
        context = ssl.create_default_context(cafile=ca)
        limit = aiohttp.ClientTimeout(total=TIMEOUT)
        async with aiohttp.ClientSession(timeout=limit) as session:
            async with session.request(method, url, headers=headers, data=data, ssl=context) as answer:
                return answer.status, await answer.text()

    return lambda *request: asyncio.run(send_async(*request))


def run(library, ca, case):
    name, method, url, size, framing, version, times, *headers = case
    headers = dict(header.split(": ", 1) for header in headers)
    send = with_httpx(ca, version == "2") if library == "httpx" else globals()["with_" + library](ca)
    whole = PIECE * (int(size) // len(PIECE))
    body = (lambda: pieces(int(size))) if framing == "chunked" else (lambda: whole)
    for _ in range(int(times)):
        try:
            status, text = send(method, url, headers, body)
        except Exception as wrong:
            status, text = 0, repr(wrong)
        print(name, status, " ".join(text.split()), sep="\t", flush=True)


for line in sys.stdin:
    run(sys.argv[1], sys.argv[2], line.rstrip("\n").split("\t"))
