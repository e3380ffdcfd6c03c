"""A driver of reactor.js, on a page in Chromium, by the protocol of WebDriver.

    browser.py URL
    browser.py --share conformance.py --jobs 1 browser.py    all cases in one browser
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request


def command(address, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)["value"]


@contextlib.contextmanager
def browser():
    """Starts Chromium; yields the address of its session."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for line in driver.stdout:
            if "started successfully on port" in line:
                break
        address = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        capabilities = {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}
        session = command(address, "POST", "/session", {"capabilities": capabilities})
        page = f"{address}/session/{session['sessionId']}"
        try:
            yield page
        finally:
            command(page, "DELETE", "")
    finally:
        # A test can have started this process with SIGTERM blocked, which the driver inherits.
        driver.kill()
        driver.wait()


def drive(page, url):
    lock = threading.Lock()
    has_ended = threading.Event()

    def execute(script, *values):
        with lock:
            return command(page, "POST", "/execute/sync", {"script": script, "args": values})

    def report():
        while not has_ended.is_set():
            for message in execute("return window.take ? take() : []"):
                print(json.dumps(message), flush=True)
            time.sleep(0.02)

    command(page, "POST", "/url", {"url": url + "/driver.html"})
    reader = threading.Thread(target=report)
    reader.start()
    for line in sys.stdin:
        # A promise as the result would make WebDriver wait for it.
        execute("perform(arguments[0]); return null", json.loads(line)["send"])
    has_ended.set()
    reader.join()
    # The page lets go of its connections.
    command(page, "POST", "/url", {"url": "about:blank"})


if __name__ == "__main__":
    if sys.argv[1] == "--share":
        # Runs a command whose drivers use one browser, one after the other.
        with browser() as page:
            sys.exit(subprocess.run(sys.argv[2:], env={**os.environ, "BROWSER_SESSION": page}).returncode)
    elif "BROWSER_SESSION" in os.environ:
        drive(os.environ["BROWSER_SESSION"], sys.argv[1])
    else:
        with browser() as page:
            drive(page, sys.argv[1])
