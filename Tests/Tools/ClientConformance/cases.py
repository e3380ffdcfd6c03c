"""The cases: what the service does, and what a client has to do then.

A case is a function with a `Conversation`. The text of the function is what a report calls the case.
"""

import base64
import json
import time


def follows(c):
    """shows the State with which a stream begins, and each later one"""
    stream = c.stream()
    for version in (0, 1, 2):
        stream.state(version)
        c.shows(version)


def decodes(c):
    """reads a stream that is compressed, if the client accepts that"""
    stream = c.stream(is_opened=False)
    stream.open(is_compressed=True)
    for version in (1, 2):
        stream.state(version)
        c.shows(version)


def resumes(c):
    """resumes a broken stream after the last event, and shows no State twice"""
    stream = c.stream()
    stream.state(1)
    stream.state(2)
    c.shows(2)
    stream.abort()
    stream = c.stream()
    c.expect(stream.cursor == "e-2", f"the stream resumes after e-2, not after {stream.cursor}")
    stream.comment()
    stream.state(3)
    c.shows(3)
    c.expect_once()


def resumes_closed(c):
    """resumes a stream that the service has closed"""
    stream = c.stream()
    stream.state(4)
    c.shows(4)
    stream.drain()
    stream = c.stream()
    c.expect(stream.cursor == "e-4", f"the stream resumes after e-4, not after {stream.cursor}")
    stream.state(5)
    c.shows(5)


def resumes_repeatedly(c):
    """drops a State that a resumed stream sends once more"""
    stream = c.stream()
    stream.state(2)
    c.shows(2)
    stream.close()
    stream = c.stream()
    stream.forget()
    stream.state(2)
    stream.state(3)
    c.shows(3)
    c.expect_once()


def conflates(c):
    """accepts that versions are skipped"""
    stream = c.stream()
    stream.state(1)
    c.shows(1)
    stream.state(7)
    c.shows(7)
    stream.abort()
    stream = c.stream()
    stream.state(40)
    c.shows(40)


def resets(c):
    """shows the State after a reset, although its version is older"""
    stream = c.stream()
    stream.state(9)
    c.shows(9)
    stream.abort()
    stream = c.stream()
    stream.reset()
    stream.state(1, epoch="f")
    c.shows(1)
    stream.state(2, epoch="f")
    c.shows(2)
    stream.abort()
    stream = c.stream()
    c.expect(stream.cursor == "f-2", f"the stream resumes after f-2, not after {stream.cursor}")


def resets_same_history(c):
    """shows an older version of the same history after a reset"""
    stream = c.stream()
    stream.state(9)
    c.shows(9)
    stream.reset()
    stream.state(8)
    c.shows(8)


def reads_pieces(c):
    """reads events whose bytes arrive one by one"""
    stream = c.stream()
    stream.in_pieces()
    stream.state(1)
    c.shows(1)
    stream.state(2)
    c.shows(2)


def ignores_unknown(c):
    """ignores comments, fields and events that it does not know"""
    stream = c.stream()
    stream.write(": a comment\nfuture: field\n\n")
    stream.event("future", {"value": 99})
    stream.state(1)
    stream.comment()
    stream.event("activity", {"running": 1, "progress": None})
    stream.state(2)
    c.shows(2)
    c.expect_once()


def waits_for_service(c):
    """opens another stream after 503 with Retry-After"""
    resume_after(c, lambda stream: stream.reject(503, "unavailable"))


def refuses_portal(c):
    """takes no page of a network for a stream"""
    resume_after(c, lambda stream: stream.respond_as_portal())


def refuses_portal_without_body(c):
    """does not end because something answers with 204 while the session exists"""
    resume_after(c, lambda stream: stream.respond(204))


def ends(c):
    """ends with the session, and opens no further stream"""
    stream = c.stream()
    stream.state(1)
    c.shows(1)
    c.server.answer = lambda exchange: c.session_paths(exchange) and exchange.reject(410, "session-ended")
    stream.end()
    c.ended()
    c.opens_none()


def has_ended(c):
    """ends if the session has ended before the stream"""
    c.server.answer = lambda exchange: c.session_paths(exchange) and exchange.reject(410, "session-ended")
    c.stream(is_opened=False).respond(204)
    c.ended()
    c.opens_none()


def is_forbidden(c):
    """ends if the session may not be read"""
    c.server.answer = lambda exchange: c.session_paths(exchange) and exchange.reject(403, "forbidden")
    c.stream(is_opened=False).reject(403, "forbidden")
    c.ended()
    c.opens_none()


def renews(c):
    """resumes with a new token after expired"""
    stream = c.stream()
    c.expect(stream.token == "token-1", f"the stream has the token token-1, not {stream.token}")
    stream.state(1)
    c.shows(1)
    stream.expire()
    stream = c.stream()
    c.expect(stream.token == "token-2", f"the stream has the token token-2, not {stream.token}")
    c.expect(stream.cursor == "e-1", f"the stream resumes after e-1, not after {stream.cursor}")
    stream.state(2)
    c.shows(2)


renews.needs = "tokens"


def renews_action(c):
    """sends an action again with a new token after 401, with the same key"""
    c.stream().state(1)
    c.shows(1)
    c.send()
    first = c.action()
    first.reject(401, "unauthorized")
    second = c.action()
    c.expect_repetition(first, second)
    c.expect(second.token == "token-2", f"the repetition has the token token-2, not {second.token}")
    c.perform(second, 2)
    c.sent()


renews_action.needs = "tokens"


def tolerates_clock(c):
    """asks for no token in a loop if its clock is wrong"""
    def token(number):
        claims = {"sub": "ada", "iat": time.time() - 7_200 + number, "exp": time.time() - 3_600}
        part = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
        return f"e30.{part}.AA"

    c.server.make_token = token
    for version in (1, 2, 3):
        stream = c.stream()
        stream.state(version)
        c.shows(version)
        c.send()
        c.perform(c.action(), version)
        c.sent()
        stream.abort()
    # One for the service that accepts it, and at most one for each new stream.
    c.expect(len(c.server.tokens) <= 4, f"at most 4 tokens are requested, not {len(c.server.tokens)}")


tolerates_clock.needs = "tokens"


def sends(c):
    """sends an action as JSON with an Idempotency-Key"""
    c.stream().state(1)
    c.shows(1)
    c.send()
    action = c.action()
    c.expect(action.body == b'"increase"', f"the body is \"increase\", not {action.body}")
    media = (action.headers["Content-Type"] or "").split(";")[0]
    c.expect(media == "application/json", f"the body is application/json, not {media}")
    c.expect(c.key(action), "the request has an Idempotency-Key")
    c.perform(action, 2)
    c.sent()


def sends_again(c):
    """sends an action again, with the same key and body, if the connection breaks"""
    repeat_after(c, lambda action: action.abort())


def sends_after_unavailable(c):
    """sends an action again, with the same key, after 503 and 429"""
    repeat_after(
        c, lambda action: action.reject(503, "unavailable", outcome="unknown"),
        lambda action: action.reject(429, "rate-limited"))


def sends_while_running(c):
    """sends an action again, with the same key, while its first request runs"""
    repeat_after(c, lambda action: action.reject(409, "action-running"))


def sends_past_portal(c):
    """takes no page of a network for the response to an action"""
    repeat_after(c, lambda action: action.respond_as_portal())


sends_past_portal.needs = "repetition"


def sends_past_proxy(c):
    """takes no error page of a proxy for the response to an action"""
    repeat_after(c, lambda action: action.respond_with(404, b"<h1>Not Found</h1>", Content_Type="text/html"))


sends_past_proxy.needs = "repetition"


def is_rejected(c):
    """reports the error of a reactor, with its code, and does not repeat the action"""
    c.stream().state(1)
    c.shows(1)
    c.send()
    c.action().reject(409, "effect-failed", code="isTooLow", data={"minimum": 5})
    c.failed(409, "isTooLow")
    c.sends_none()


def is_rejected_with_503(c):
    """reports the error of a reactor with the status 503, and does not repeat the action"""
    c.stream().state(1)
    c.shows(1)
    c.send()
    c.action().reject(503, "effect-failed", code="isClosed")
    c.failed(503, "isClosed")
    c.sends_none()


def is_invalid(c):
    """reports an action that the service does not accept, and does not repeat it"""
    c.stream().state(1)
    c.shows(1)
    c.send()
    c.action().reject(422, "invalid-action", pointer="", expected=["decrease"])
    c.failed(422)
    c.sends_none()


def sends_two(c):
    """sends two actions in order, with a key for each"""
    stream = c.stream()
    stream.state(1)
    c.shows(1)
    c.send('"increase"')
    first = c.action()
    c.perform(first, 2)
    c.sent()
    c.send('{"add":2}')
    second = c.action()
    c.expect(c.key(first) != c.key(second), "each action has a key of its own")
    c.expect(json.loads(second.body) == {"add": 2}, f"the second body is {{\"add\":2}}, not {second.body}")
    c.perform(second, 3)
    c.sent()


def keeps_newer(c):
    """shows no older State because of a late response to an action"""
    stream = c.stream()
    stream.state(1)
    c.shows(1)
    c.send()
    action = c.action()
    stream.state(5)
    c.shows(5)
    c.perform(action, 2)
    c.sent()
    stream.state(6)
    c.shows(6)
    c.expect_once()


def resume_after(c, answer):
    # Begins with a State: a program in a terminal may end if the service cannot be reached at first.
    stream = c.stream()
    stream.state(1)
    c.shows(1)
    stream.abort()
    answer(c.stream(is_opened=False))
    stream = c.stream()
    c.expect(stream.cursor == "e-1", f"the stream resumes after e-1, not after {stream.cursor}")
    stream.state(2)
    c.shows(2)


def repeat_after(c, *answers):
    # The first request and each repetition get a response, and the last repetition performs the action.
    c.stream().state(1)
    c.shows(1)
    c.send()
    first = action = c.action()
    for answer in answers:
        answer(action)
        action = c.action()
        c.expect_repetition(first, action)
    c.perform(action, 2)
    c.sent()


CASES = [case for case in list(globals().values()) if callable(case) and getattr(case, "__doc__", None)
         and case.__module__ == __name__]
