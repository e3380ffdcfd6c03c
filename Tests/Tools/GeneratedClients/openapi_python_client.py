"""Generates clients of a service with openapi-python-client, and uses them.

    openapi_python_client.py URL FOLDER

There is one client of the whole service and one of each reactor. They send each example action, alone and in an
array, decode each response and the first event of each stream, and read every resource that needs no id of another
one. A value that a client has decoded and encodes again has to be the same. Prints what it has counted.
"""

import importlib
import inspect
import json
import os
import pkgutil
import subprocess
import sys
import typing
from enum import Enum

from examples import Counts, catalogue, expect, get, is_same

url, folder = sys.argv[1:]
sys.path.insert(0, folder)
counts = Counts()


def generate(name, query):
    """Generates a package; warnings are errors, except about files, which have any type."""
    command = [os.path.join(os.path.dirname(sys.executable), "openapi-python-client"), "generate", "--url",
               f"{url}/openapi.json{query}", "--output-path", os.path.join(folder, name), "--meta", "none"]
    config = os.path.join(folder, "config.yml")
    with open(config, "w") as file:
        file.write("post_hooks: []\n")
    run = subprocess.run(command + ["--config", config], capture_output=True, text=True)
    expect(run.returncode == 0, run.stdout, run.stderr)
    warnings = [part for part in run.stdout.split("\n\n") if part.startswith(("WARNING", "Cannot", "Unable"))]
    files = [part for part in warnings if "(Unsupported content_type" in part]
    unknown = [part for part in warnings if not part.startswith("WARNING parsing GET") and part not in files]
    expect(not unknown, run.stdout)
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        importlib.import_module(module.name)
    return package


class Generated:
    """A generated package and its connection."""

    def __init__(self, package):
        self.client = package.Client(base_url=url)
        self.operations = {
            name.rpartition(".")[2]: module for name, module in sys.modules.items()
            if name.startswith(package.__name__ + ".api.default.")}

    def types(self, operation, parameter):
        annotation = inspect.signature(self.operations[operation].sync_detailed).parameters[parameter].annotation
        return typing.get_args(annotation) or [annotation]

    def value(self, operation, parameter, value):
        """A typed value, as a program with the generated client has it."""
        for kind in self.types(operation, parameter):
            typed = decode(kind, value)
            if typed is not None:
                return typed
        raise SystemExit(f"{operation}: no type for {json.dumps(value)}")

    def call(self, operation, **arguments):
        """Calls an operation; its response has to be decoded without a loss."""
        response = self.operations[operation].sync_detailed(client=self.client, **arguments)
        counts.add("responses")
        written = json.loads(response.content) if response.content else None
        expect(written is None or response.parsed is not None, operation, response)
        expect(written is None or is_same(encode(response.parsed), written), operation, response.content, response.parsed)
        return response


def decode(kind, value):
    """A value of a generated type, or None if it is not one of its values."""
    if typing.get_origin(kind) is list:
        (element,) = typing.get_args(kind)
        if not isinstance(value, list):
            return None
        kinds = typing.get_args(element) or [element]
        elements = [next(filter(None, (decode(kind, part) for kind in kinds)), None) for part in value]
        return None if None in elements else elements
    try:
        if issubclass(kind, Enum):
            return kind(value)
        typed = kind.from_dict(value)
        return typed if is_same(typed.to_dict(), value) else None
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def encode(value):
    if isinstance(value, list):
        return [encode(part) for part in value]
    return value.value if isinstance(value, Enum) else value.to_dict() if hasattr(value, "to_dict") else value


def use(generated, reactor, is_whole):
    """Sends the examples of a reactor to a new session."""
    session = "whole" if is_whole else "own"
    name = reactor["name"]

    def call(operation, **arguments):
        if is_whole:
            arguments["reactor"] = generated.value(operation, "reactor", name)
        return generated.call(operation, **arguments)

    if reactor["parametersSchema"] is not None:
        body = generated.types("ensure_session", "body")[0]
        parameters = reactor["exampleParameters"]
        created = call("ensure_session", session=session, body=body.from_dict({"parameters": parameters}))
    else:
        created = call("ensure_session", session=session)
    expect(created.status_code in [200, 201], name, created)
    state = type(created.parsed)
    for example in reactor["exampleActions"]:
        for value in [example, [example]]:
            response = call("run_actions", session=session, body=generated.value("run_actions", "body", value))
            counts.add("actions")
            # A reactor may reject an action that it understands.
            kind = "" if response.status_code < 300 else json.loads(response.content)["type"]
            expect(kind in ["", "/problems/effect-failed"], name, value, response.content)
            expect(kind or type(response.parsed) is state, name, value, response.content, response.parsed)
    for operation in ["read_session", "read_state", "read_log", "list_effects", "list_timers", "list_subscribers"]:
        expect(call(operation, session=session).status_code == 200, name, operation)
    for operation in ["describe_reactor", "list_sessions", "list_failures"]:
        expect(call(operation).status_code == 200, name, operation)
    address = f"/v1/reactors/{name}/sessions/{session}/events"
    with generated.client.get_httpx_client().stream("GET", address) as stream:
        for line in stream.iter_lines():
            if line.startswith("data:"):
                written = json.loads(line[5:])
                expect(is_same(encode(state.from_dict(written)), written), name, line)
                counts.add("events")
                break


reactors = catalogue(url)
whole = Generated(generate("service", ""))
for reactor in reactors:
    use(whole, reactor, is_whole=True)
    own = Generated(generate(f"client_{reactor['name']}", f"?reactor={reactor['name']}"))
    use(own, reactor, is_whole=False)
    counts.add("reactors")
for operation in ["health", "readiness", "list_reactors", "list_globals", "list_nodes", "list_quarantine", "open_api"]:
    expect(whole.call(operation).status_code == 200, operation)
for name in (entry["name"] for entry in get(url + "/v1/globals")["globals"]):
    expect(whole.call("read_global", global_=whole.value("read_global", "global_", name)).status_code == 200, name)
print(counts)
