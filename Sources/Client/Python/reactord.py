"""A client of reactord for Python, over httpx.

    async with AsyncClient("http://127.0.0.1:8080") as client:
        counter = client.session("counter", "demo")
        await counter.send("increase")
        async for state in counter.states():
            print(state)

``Client`` is the same without ``async``:

    with Client("http://127.0.0.1:8080") as client:
        print(client.session("counter", "demo").send({"add": 2}))

A stream reconnects and resumes by itself. An action without a response is sent again with the same
Idempotency-Key, so that it is executed once. Both follow the rules of the HTTP contract.
"""

from __future__ import annotations

import asyncio
import base64
import codecs
import concurrent.futures
import contextlib
import dataclasses
import datetime
import email.utils
import inspect
import json
import random
import re
import secrets
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import quote

import httpx

__version__ = "0.2.0"
__all__ = ["AsyncClient", "AsyncSession", "Client", "Problem", "Session"]

Token = str | Callable[[], "str | Awaitable[str]"] | None


class Problem(Exception):
    """An error response of the service (RFC 9457), or a failure to reach it (status 0)."""

    def __init__(self, members: dict[str, Any], *, retry_after: float = 0, is_foreign: bool = False):
        title, detail = members.get("title", "The request failed"), members.get("detail")
        # The service repeats the title of an error without a detail as a sentence.
        super().__init__(title if detail in (None, f"{title}.") else f"{title}. {detail}")
        self.members = members
        self.status: int = members.get("status", 0)
        self.type: str = members.get("type", "about:blank")
        self.code: str | None = members.get("code")
        self.data: Any = members.get("data")
        #: The seconds of ``Retry-After``; 0 without it.
        self.retry_after = retry_after
        #: Whether the response is one of a proxy or another program instead of the service.
        self.is_foreign = is_foreign

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later."""
        if self.is_foreign:
            return True
        # A reactor chooses the status of its own errors: they are final with any status.
        if self.type.endswith("/problems/effect-failed"):
            return False
        return self.status in (0, 429, 503) or self.type.endswith("/problems/action-running")


@dataclasses.dataclass
class _Event:
    """One server-sent event; ``data`` is ``None`` for a comment or a ``retry`` alone."""

    name: str = "message"
    data: str | None = None
    id: str | None = None
    retry: float | None = None


class _EventParser:
    """Splits the bytes of a stream into events, as the HTML standard says (9.2.6)."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text = ""
        self._event = _Event()
        self._lines: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[_Event]:
        # A carriage return at the end can be the first half of a line end.
        self._text += self._decoder.decode(chunk)
        *lines, self._text = re.split(r"\r\n|\n|\r(?!\Z)", self._text)
        for line in lines:
            if line == "":
                event, self._event = self._event, _Event()
                event.data = "\n".join(self._lines) if self._lines else None
                self._lines = []
                yield event
                continue
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "":
                yield _Event()
            elif name == "data":
                self._lines.append(value)
            elif name == "event":
                self._event.name = value
            elif name == "id" and "\0" not in value:
                self._event.id = value
            elif name == "retry" and value.isascii() and value.isdigit():
                self._event.retry = int(value) / 1000


class _Token:
    """The access token of a function, which is called again when the token is about to expire or was rejected."""

    def __init__(self, source: Token) -> None:
        self._source = source
        self._value: str | None = None
        self._renews_at = float("inf")
        self._lock = asyncio.Lock()

    @property
    def can_change(self) -> bool:
        return callable(self._source)

    async def value(self) -> str | None:
        if not callable(self._source):
            return self._source
        async with self._lock:
            if self._value is None or time.monotonic() >= self._renews_at:
                value = self._source()
                self._value = await value if inspect.isawaitable(value) else value
                self._renews_at = time.monotonic() + self._lifetime(self._value)
            return self._value

    def reject(self, value: str | None) -> None:
        """Forgets a token that the service did not accept, unless there is a newer one."""
        if value == self._value:
            self._value = None

    @staticmethod
    def _lifetime(token: str) -> float:
        """The seconds until a JSON Web Token is to be renewed, independent of the clock of this machine."""
        try:
            part = token.split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
            seconds = claims["exp"] - claims.get("iat", time.time())
        except (IndexError, KeyError, TypeError, ValueError):
            return float("inf")
        # A clock that is wrong must not request a token for each request: the service rejects an old one.
        return max(seconds - 30, seconds / 2) if seconds > 0 else float("inf")


class AsyncClient:
    """A service and a credential.

    - url: the address that ``v1/`` is below.
    - token: an access token, or a function that returns one, which may be ``async``. It is called at the
      start, before a JSON Web Token expires and after a token was rejected.
    - headers: the fields of every request.
    - http: an ``httpx.AsyncClient`` with settings of your own, such as proxies or certificates.
    """

    def __init__(
        self, url: str, *, token: Token = None, headers: dict[str, str] | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._base = url.rstrip("/") + "/"
        self._headers = headers or {}
        self._token = _Token(token)
        self._http = http or httpx.AsyncClient(timeout=30)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    def session(self, reactor: str, id: str) -> AsyncSession:
        """A session of a reactor; nothing is requested yet."""
        return AsyncSession(self, reactor, id)

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Sends a request to a path such as ``v1/reactors``.

        - Raises: ``Problem`` for an error response, and without a response.
        """
        async with self.open(method, path, **options) as response:
            await self._read(response)
        if response.is_success:
            return response
        raise self._problem(response)

    @contextlib.asynccontextmanager
    async def open(self, method: str, path: str, **options: Any) -> AsyncIterator[httpx.Response]:
        """Sends a request with the current token, and once more with a new one if the service rejects it."""
        for is_last in (not self._token.can_change, True):
            token = await self._token.value()
            headers = {"Accept": "application/json", **self._headers, **options.get("headers", {})}
            if token:
                headers["Authorization"] = f"Bearer {token}"
            request = self._http.build_request(method, self._base + path, **{**options, "headers": headers})
            try:
                response = await self._http.send(request, stream=True)
            except httpx.HTTPError as error:
                raise Problem({"title": "The service did not respond", "detail": f"{error!r}"}) from error
            if response.status_code == 401 and not is_last:
                await response.aclose()
                self._token.reject(token)
                continue
            try:
                yield response
            finally:
                await response.aclose()
            return

    def reject_token(self, response: httpx.Response) -> None:
        """Forgets the token of a stream that the service has ended because of it."""
        self._token.reject(response.request.headers.get("Authorization", "").removeprefix("Bearer "))

    @staticmethod
    async def _read(response: httpx.Response) -> None:
        try:
            await response.aread()
        except httpx.HTTPError as error:
            raise Problem({"title": "The response ended early", "detail": f"{error!r}"}) from error

    @staticmethod
    def _problem(response: httpx.Response) -> Problem:
        """The problem of a response that was read; a foreign one unless it has the form of the contract."""
        status, members = response.status_code, None
        if _has_content(response, "application/problem+json"):
            with contextlib.suppress(ValueError):
                members = response.json()
        is_own = (
            isinstance(members, dict) and members.get("status") == status
            and "/problems/" in str(members.get("type")))
        if not is_own:
            members = {
                "title": f"The response has the status {status}", "status": status,
                "detail": "It is not one of reactord: check the address, and proxies before the service.",
            }
        return Problem(members, retry_after=_seconds(response.headers.get("Retry-After")), is_foreign=not is_own)


class AsyncSession:
    """One session of a reactor."""

    #: The seconds for which ``send`` repeats an action without a final response.
    patience = 60.0

    def __init__(self, client: AsyncClient, reactor: str, id: str) -> None:
        self.reactor, self.id = reactor, id
        self._client = client
        self._path = f"v1/reactors/{quote(reactor, safe='')}/sessions/{quote(id, safe='')}"
        self._order = asyncio.Lock()

    async def state(self, *, version: int | None = None, select: str | None = None) -> Any:
        """The current State, that of a version, or the part at a JSON Pointer."""
        query = {"version": version, "select": select}
        query = {name: value for name, value in query.items() if value is not None}
        return (await self._client.request("GET", self._path + "/state", params=query)).json()

    async def create(self, parameters: Any = None) -> Any:
        """Creates the session if it does not exist, and returns its State."""
        body = None if parameters is None else {"parameters": parameters}
        return (await self._client.request("PUT", self._path, json=body)).json()

    async def end(self) -> None:
        """Ends the session."""
        await self._client.request("DELETE", self._path)

    async def signal(self, value: Any, name: str | None = None) -> None:
        """Publishes a message to the current subscribers, which is stored nowhere."""
        query = {"name": name} if name else {}
        headers = {"Content-Type": "application/json"}
        await self._client.request(
            "POST", self._path + "/signals", content=json.dumps(value), headers=headers, params=query
        )

    async def send(
        self, action: Any, *, wait: int | None = None, if_match: str | None = None,
        key: str | None = None,
    ) -> Any:
        """Sends an action, or a list of them, and returns the State after it.

        The actions of a session are sent in order. Returns ``None`` without the right to read the State.

        - wait: how many seconds the service waits for the effects of the action.
        - if_match: the cursor that the session must have.
        - key: the Idempotency-Key; random unless specified.
        - Raises: ``Problem`` if the service rejects the action, or if there is no response in time.
        """
        headers = {"Content-Type": "application/json", "Idempotency-Key": key or secrets.token_hex(16)}
        if wait is not None:
            headers["Prefer"] = f"wait={wait}"
        if if_match is not None:
            headers["If-Match"] = f'"{if_match}"'
        body = json.dumps(action, ensure_ascii=False).encode()
        async with self._order:
            deadline = time.monotonic() + self.patience
            for failures in range(1_000_000):
                try:
                    return await self._attempt(headers, body, wait or 5)
                except Problem as problem:
                    pause = max(_pause(failures), problem.retry_after)
                    if not self._repeats(problem) or time.monotonic() + pause > deadline:
                        raise
                    await asyncio.sleep(pause)

    @staticmethod
    def _repeats(problem: Problem) -> bool:
        return problem.is_passing

    async def _attempt(self, headers: dict[str, str], body: bytes, wait: int) -> Any:
        response = await self._client.request(
            "POST", self._path + "/actions", headers=headers, content=body, timeout=wait + 30)
        if not self._is_outcome(response):
            raise self._client._problem(response)
        return response.json() if response.content else None

    @staticmethod
    def _is_outcome(response: httpx.Response) -> bool:
        """Whether a response is the service's to an action: with a cursor, and JSON or nothing."""
        if _cursor(response.headers.get("ETag", "")) is None:
            return False
        is_empty = response.status_code == 204 or not response.content
        return is_empty or _has_content(response, "application/json")

    def states(self, cursor: str | None = None, *, select: str | None = None) -> AsyncIterator[Any]:
        """Yields the State, and then each one that follows, until the session ends.

        A slow reader gets the latest State instead of all of them.

        - cursor: the cursor of the State that the caller has, which is not yielded again.
        - select: the JSON Pointer of the part to follow.
        - Raises: ``Problem`` if the service rejects the stream.
        """
        return self._follow(_Follower(cursor), select)

    def presence(self) -> AsyncIterator[Any]:
        """Yields the subscribers, and again after changes, until the session ends; nothing of its State is sent.

        - Raises: ``Problem`` if the service rejects the stream.
        """
        return self._follow(_Follower(None, "presence"), "none")

    async def _follow(self, follower: _Follower, select: str | None) -> AsyncIterator[Any]:
        while not follower.has_ended:
            try:
                async for value in self._stream(follower, select):
                    yield value
            except Problem as problem:
                follower.has_ended = problem.type.endswith("/problems/session-ended")
                if not problem.is_passing and not follower.has_ended:
                    raise
                follower.retry_after = problem.retry_after
            except (httpx.HTTPError, ValueError):
                pass  # The connection is broken or damaged: the next one resumes it.
            if not follower.has_ended:
                await asyncio.sleep(follower.pause())

    async def _stream(self, follower: _Follower, select: str | None) -> AsyncIterator[Any]:
        query = {"select": select} if select is not None else {}
        if follower.event == "presence":
            query["presence"] = "true"
        headers = {"Accept": "text/event-stream"}
        if follower.cursor:
            headers["Last-Event-ID"] = follower.cursor
        # Three heartbeats of silence; the interval is known after the first stream.
        timeout = httpx.Timeout(30, read=follower.silence)
        async with self._client.open(
            "GET", self._path + "/events", params=query, headers=headers, timeout=timeout
        ) as response:
            if response.status_code == 204:
                # The session has ended, unless something before the service has responded.
                await self.state()
                return
            if response.status_code != 200 or not _has_content(response, "text/event-stream"):
                await self._client._read(response)
                raise self._client._problem(response)
            follower.opened(response)
            parser = self._parser()
            async for chunk in response.aiter_bytes():
                for event in parser.feed(chunk):
                    if follower.accepts(event):
                        yield json.loads(event.data)
                    if event.name == "expired":
                        self._client.reject_token(response)
                        follower.renew()
                    if event.name in ("draining", "end", "expired"):
                        return

    @staticmethod
    def _parser() -> _EventParser:
        return _EventParser()


class _Follower:
    """The position of a stream over its reconnections."""

    def __init__(self, cursor: str | None, event: str = "message") -> None:
        self.cursor = cursor
        #: The name of the events that are yielded.
        self.event = event
        self.has_ended = False
        self.retry_after = 0.0
        self.silence = 45.0
        self._first_pause = 1.0
        self._failures = 0
        self._is_reset = False
        self._renewed_at = float("-inf")

    def opened(self, response: httpx.Response) -> None:
        with contextlib.suppress(ValueError):
            self.silence = max(15.0, 3 * float(response.headers.get("Heartbeat-Interval", "")))

    def accepts(self, event: _Event) -> bool:
        """Applies an event; returns whether it has a State that was not yielded yet."""
        if event.retry is not None:
            self._first_pause = event.retry
            if event.data is None:
                return False
        if event.name in ("draining", "expired"):
            return False
        self._failures = 0
        if event.name == "reset":
            self._is_reset = True
        elif event.name == "end":
            self.has_ended = True
        elif event.name == "presence":
            return self.event == "presence"
        elif event.name == "message" and event.data is not None and event.id is not None:
            if not self._is_reset and self.cursor and not _is_after(event.id, self.cursor):
                return False
            self.cursor, self._is_reset = event.id, False
            return True
        return False

    def renew(self) -> None:
        """Resumes without a pause with a new token, unless the previous one expired a moment ago."""
        now = time.monotonic()
        if now - self._renewed_at > 1:
            self._failures = -1
        self._renewed_at = now

    def pause(self) -> float:
        failures, self._failures = self._failures, self._failures + 1
        pause = 0.0 if failures < 0 else _pause(failures, self._first_pause)
        pause, self.retry_after = max(pause, self.retry_after), 0.0
        return pause


def _pause(failures: int, first: float = 0.5) -> float:
    """Exponential backoff with jitter, so that clients do not return at the same moment."""
    return min(first * 2 ** min(failures, 10), 20) * random.uniform(0.5, 1)


def _has_content(response: httpx.Response, type: str) -> bool:
    return response.headers.get("Content-Type", "").split(";")[0].strip().lower() == type


def _cursor(tag: str) -> str | None:
    """The cursor in an entity tag, which can be weak and have the suffix of a content coding."""
    match = re.fullmatch(r'(?:W/)?"([\w.~-]+-\d+)(?:[-+](?:gzip|br|zstd|deflate))?"', tag)
    return match[1] if match else None


def _is_after(cursor: str, other: str) -> bool:
    """Whether a cursor is of another history than another one, or after it."""
    (epoch, _, version), (other_epoch, _, other_version) = cursor.rpartition("-"), other.rpartition("-")
    return epoch != other_epoch or int(version) > int(other_version)


def _seconds(retry_after: str | None) -> float:
    """The seconds of a ``Retry-After``, which can also be a date."""
    with contextlib.suppress(TypeError, ValueError):
        return float(retry_after)
    with contextlib.suppress(TypeError, ValueError):
        date = email.utils.parsedate_to_datetime(retry_after)
        return max(0.0, (date - datetime.datetime.now(datetime.timezone.utc)).total_seconds())
    return 0.0


class Client:
    """The same as ``AsyncClient``, for code without ``async``. A thread of its own makes the requests."""

    def __init__(self, url: str, **options: Any) -> None:
        self._is_closed = False
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

        async def make() -> AsyncClient:
            return AsyncClient(url, **options)

        self._client = self._wait(make())

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closed = True

        async def finish() -> None:
            # Other threads may wait for the next value of a stream.
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._client.__aexit__()

        asyncio.run_coroutine_threadsafe(finish(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)

    def session(self, reactor: str, id: str) -> Session:
        """A session of a reactor; nothing is requested yet."""
        return Session(self, reactor, id)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Sends a request to a path such as ``v1/reactors``."""
        return self._wait(self._client.request(method, path, **options))

    def _wait(self, work: Any) -> Any:
        if self._is_closed:
            work.close()
            raise RuntimeError("The client is closed.")
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except concurrent.futures.CancelledError:
            raise RuntimeError("The client is closed.") from None


class Session:
    """One session of a reactor, see ``AsyncSession``."""

    def __init__(self, client: Client, reactor: str, id: str) -> None:
        self.reactor, self.id = reactor, id
        self._client = client
        self._session = client._client.session(reactor, id)

    def state(self, **options: Any) -> Any:
        return self._client._wait(self._session.state(**options))

    def create(self, parameters: Any = None) -> Any:
        return self._client._wait(self._session.create(parameters))

    def end(self) -> None:
        self._client._wait(self._session.end())

    def signal(self, value: Any, name: str | None = None) -> None:
        self._client._wait(self._session.signal(value, name))

    def send(self, action: Any, **options: Any) -> Any:
        return self._client._wait(self._session.send(action, **options))

    def states(self, cursor: str | None = None, **options: Any) -> Iterator[Any]:
        return self._values(self._session.states(cursor, **options))

    def presence(self) -> Iterator[Any]:
        return self._values(self._session.presence())

    def _values(self, values: Any) -> Iterator[Any]:
        task: asyncio.Task[Any] | None = None

        async def step() -> Any:
            nonlocal task
            task = asyncio.current_task()
            return await anext(values)

        async def close() -> None:
            # An interruption leaves a step that still waits for the server.
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
            await values.aclose()

        try:
            while True:
                try:
                    yield self._client._wait(step())
                except StopAsyncIteration:
                    return
        finally:
            # Without a wait: the thread may be that of the requests, or the program may end.
            if not self._client._is_closed:
                asyncio.run_coroutine_threadsafe(close(), self._client._loop)
