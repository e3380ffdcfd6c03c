#!/usr/bin/env python3
"""Checks a client of reactord against the HTTP contract.

    conformance.py [--case NAME]... [--limit SECONDS] [--without tokens] COMMAND...

COMMAND is a driver of the client, see README.md. Each case starts it beside a service that follows a
script, and prints one line. Ends with 1 if a case has failed.
"""

import argparse
import concurrent.futures
import json
import os
import queue
import subprocess
import sys
import threading
import time

import cases
import server

#: How long nothing must happen where a client has to do nothing: ten times the `retry` of the streams.
SILENCE = 0.5


class Failure(Exception):
    """What a client has done wrong."""


class Conversation:
    """A client and its service."""

    def __init__(self, command, limit):
        self.server = server.Server()
        self.shown = []
        self._limit = limit
        self._outcomes = queue.Queue()
        self._states = queue.Queue()
        self._has_ended = threading.Event()
        self._last = None
        self._stream = None
        self._client = subprocess.Popen(
            [*command, self.server.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def close(self):
        self._client.stdin.close()
        try:
            self._client.wait(self._limit)
        except subprocess.TimeoutExpired:
            self._client.kill()
            self._client.wait()
        self.server.close()

    def _read(self):
        for line in self._client.stdout:
            message = json.loads(line)
            if "state" in message and "sent" not in message:
                self._states.put(message["state"])
            elif "sent" in message:
                self._outcomes.put(message)
            elif "ended" in message:
                self._has_ended.set()
        self._states.put(None)

    # What a client has to do.

    def expect(self, condition, text):
        if not condition:
            raise Failure(f"expected that {text}")

    def stream(self, is_opened=True):
        """The next stream that the client opens."""
        while True:
            stream = self._next(self.server.streams, "open a stream")
            if stream.is_abandoned:
                continue
            self._stream = stream
            if is_opened:
                stream.open()
            return stream

    def action(self):
        """The next request with an action."""
        return self._next(self.server.actions, "send the action")

    def shows(self, version):
        """Waits until the client shows the State at a version."""
        while self._last != version:
            state = self._next(self._states, f"show the State at version {version}", f"shown: {self.shown}")
            if state is None:
                raise Failure(f"the client has ended before it showed version {version}")
            self._last = state["value"]
            self.shown.append(self._last)
            self.expect(state == server.state(self._last), f"the State is {server.state(self._last)}, not {state}")

    def ended(self):
        """Waits until the client knows that it follows the session no longer."""
        if not self._has_ended.wait(self._limit):
            raise Failure("the client did not end")

    def send(self, action='"increase"'):
        self._client.stdin.write(json.dumps({"send": json.loads(action)}) + "\n")
        self._client.stdin.flush()

    def perform(self, action, version):
        """Commits an action: the stream sends the State, unless it has sent a later one, and then the response."""
        if self._stream.version < version:
            self._stream.state(version)
        fields = {"ETag": f'"e-{version}"'}
        if "return=minimal" in (action.headers["Prefer"] or ""):
            action.respond(204, Preference_Applied="return=minimal", **fields)
        else:
            action.respond(200, server.state(version), **fields)

    def sent(self):
        """Waits until the client reports that the action was executed."""
        outcome = self._next(self._outcomes, "report that the action was executed")
        self.expect("error" not in outcome, f"the action succeeds, not {outcome}")

    def failed(self, status, code=None):
        """Waits until the client reports that the action was rejected."""
        outcome = self._next(self._outcomes, "report that the action was rejected")
        error = outcome.get("error")
        self.expect(error and error["status"] == status, f"the action is rejected with {status}, not {outcome}")
        self.expect(error.get("code") == code, f"the code of the error is {code}, not {error.get('code')}")

    def opens_none(self):
        self._is_silent(self.server.streams, "opens no further stream")

    def sends_none(self):
        self._is_silent(self.server.actions, "does not send the action again")

    def expect_repetition(self, first, second):
        self.expect(self.key(first), "the request has an Idempotency-Key")
        self.expect(self.key(first) == self.key(second), "the repetition has the same Idempotency-Key")
        self.expect(first.body == second.body, "the repetition has the same body")

    def expect_once(self):
        """A client may skip States, and shows none twice or out of order."""
        self.expect(self.shown == sorted(set(self.shown)), f"each State is shown once, in order, not {self.shown}")

    @staticmethod
    def key(action):
        return (action.headers["Idempotency-Key"] or "").strip('"')

    @staticmethod
    def session_paths(exchange):
        return exchange.path.startswith("/v1/reactors/counter/sessions/")

    def _next(self, messages, task, note=""):
        deadline = time.monotonic() + self._limit
        while time.monotonic() < deadline:
            # A message that a client has sent before its end is found after the end.
            has_ended = self._client.poll() is not None
            try:
                return messages.get(timeout=0.1)
            except queue.Empty:
                if has_ended:
                    raise Failure(f"the client has ended with {self._client.returncode}") from None
        raise Failure(f"the client did not {task}" + (f" ({note})" if note else ""))

    def _is_silent(self, requests, text):
        try:
            requests.get(timeout=SILENCE)
        except queue.Empty:
            return
        raise Failure(f"expected that the client {text}")


def run(case, options):
    """Runs a case; returns its line, and whether it has passed."""
    conversation = Conversation(options.command, options.limit)
    try:
        case(conversation)
        return f"ok      {case.__name__}: {case.__doc__}", True
    except Failure as failure:
        return f"FAILED  {case.__name__}: {case.__doc__}: {failure}", False
    except OSError as error:
        return f"FAILED  {case.__name__}: {case.__doc__}: the client has closed its connection: {error}", False
    finally:
        conversation.close()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--limit", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("the command of the client is missing")
    chosen = [case for case in cases.CASES if not options.case or case.__name__ in options.case]
    missing = [case for case in chosen if getattr(case, "needs", None) in options.without]
    chosen = [case for case in chosen if case not in missing]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as threads:
        results = list(threads.map(lambda case: run(case, options), chosen))
    for line, _ in results:
        print(line)
    for case in missing:
        print(f"without {case.__name__}: {case.__doc__}")
    return all(passed for _, passed in results) and bool(results)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
