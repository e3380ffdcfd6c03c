"""Clients with one fault each, made of the client for Python, which the suite has to find.

    broken.py FAULT URL
"""

import asyncio
import secrets
import sys

import python  # The driver beside this file.

reactord = python.reactord
Session, Follower, Parser = reactord.AsyncSession, reactord._Follower, reactord._EventParser


def replaced(type, name, make):
    setattr(type, name, make(getattr(type, name)))


def forgets_position():
    """Opens each stream without a cursor."""
    replaced(Session, "_stream", lambda stream: lambda self, follower, select: stream(
        self, Forgetful(follower), select))


class Forgetful:
    """A follower whose cursor is not sent."""

    cursor = None

    def __init__(self, follower):
        object.__setattr__(self, "_follower", follower)

    def __getattr__(self, name):
        return getattr(self._follower, name)


def repeats_states():
    """Shows every State that arrives."""
    def accepts(accepts):
        def result(self, event):
            accepts(self, event)
            return event.name == "message" and event.data is not None
        return result
    replaced(Follower, "accepts", accepts)


def ignores_reset():
    """Takes the State after a reset for an old one."""
    def accepts(accepts):
        def result(self, event):
            self._is_reset = False
            return event.name != "reset" and accepts(self, event)
        return result
    replaced(Follower, "accepts", accepts)


def splits_characters():
    """Decodes each piece of a stream on its own."""
    class Decoder:
        def decode(self, data):
            return data.decode("utf-8", "replace")
    replaced(Parser, "__init__", lambda init: lambda self: (init(self), setattr(self, "_decoder", Decoder()))[0])


def never_ends():
    """Opens another stream after the end of the session."""
    replaced(Follower, "accepts", lambda accepts: lambda self, event: (
        accepts(self, event), setattr(self, "has_ended", False))[0])


def gives_up():
    """Does not open another stream after a broken connection."""
    def accepts(accepts):
        def result(self, event):
            self.has_ended = True
            return accepts(self, event)
        return result
    replaced(Follower, "accepts", accepts)


def keeps_token():
    """Goes on with the token that has expired."""
    reactord._Token.reject = lambda self, value: None


def fetches_tokens():
    """Asks for a token for each request."""
    reactord._Token._lifetime = staticmethod(lambda token: 0.0)


def renames_repetition():
    """Sends a repetition with another key."""
    def attempt(attempt):
        return lambda self, headers, body, wait: attempt(
            self, {**headers, "Idempotency-Key": secrets.token_hex(8)}, body, wait)
    replaced(Session, "_attempt", attempt)


def never_repeats():
    """Reports every failure at once."""
    Session._repeats = staticmethod(lambda problem: False)


def repeats_rejections():
    """Sends an action again that the reactor has rejected."""
    Session._repeats = staticmethod(lambda problem: True)


def believes_portals():
    """Takes every response with a success for the service's."""
    Session._is_outcome = staticmethod(lambda response: True)
    replaced(Session, "_attempt", lambda attempt: lambda self, headers, body, wait: forgiving(
        attempt(self, headers, body, wait)))


async def forgiving(attempt):
    try:
        return await attempt
    except ValueError:
        return None


def hides_code():
    """Reports a rejection without the code of the error."""
    replaced(reactord.Problem, "__init__", lambda init: lambda self, *arguments, **names: (
        init(self, *arguments, **names), setattr(self, "code", None))[0])


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    asyncio.run(python.main(sys.argv[2]))
