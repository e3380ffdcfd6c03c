"""What the checks of generated clients have in common."""

import json
import urllib.request
from datetime import datetime


def get(url):
    with urllib.request.urlopen(url) as response:
        return json.load(response)


def catalogue(url):
    """The descriptions of the hosted reactors."""
    return [get(url + reactor["links"]["self"]) for reactor in get(url + "/v1/reactors")["reactors"]]


def is_same(left, right):
    """Whether two JSON values have the same meaning: times may have another form."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    if isinstance(left, str) and isinstance(right, str) and left != right:
        try:
            return datetime.fromisoformat(left) == datetime.fromisoformat(right)
        except ValueError:
            return False
    return type(left) is type(right) and left == right


def expect(condition, *text):
    if not condition:
        raise SystemExit(" ".join(map(str, text)))


class Counts:
    """The numbers of what was sent and decoded, which the check prints as JSON."""

    def __init__(self):
        self.counts = {"reactors": 0, "actions": 0, "responses": 0, "events": 0}

    def add(self, name, number=1):
        self.counts[name] += number

    def __str__(self):
        return json.dumps(self.counts)
