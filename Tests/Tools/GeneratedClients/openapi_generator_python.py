"""Uses the Python client of one reactor that openapi-generator has generated as the package `generated`.

    openapi_generator_python.py URL REACTOR FOLDER

Prints what it has counted; see openapi_python_client.py.
"""

import json
import sys
import urllib.request

from examples import Counts, catalogue, expect, is_same

url, name, folder = sys.argv[1:]
sys.path.insert(0, folder)
import generated  # noqa: E402
from generated import models  # noqa: E402

api = generated.DefaultApi(generated.ApiClient(generated.Configuration(host=url)))
counts = Counts()
(reactor,) = [reactor for reactor in catalogue(url) if reactor["name"] == name]
session = "openapi-generator-python"


def call(operation, *arguments, **named):
    """Calls an operation; its response has to be decoded without a loss."""
    response = getattr(api, operation + "_with_http_info")(*arguments, **named)
    written = json.loads(response.raw_data)
    decoded = response.data
    values = decoded if isinstance(decoded, list) else [decoded]
    encoded = [json.loads(value.to_json()) if hasattr(value, "to_json") else value for value in values]
    expect(is_same(encoded if isinstance(decoded, list) else encoded[0], written), operation, written, decoded)
    counts.add("responses")
    return decoded


if reactor["parametersSchema"] is None:
    state = call("ensure_session", session)
else:
    body = models.EnsuredSession.from_dict({"parameters": reactor["exampleParameters"]})
    state = call("ensure_session", session, ensured_session=body)
for example in reactor["exampleActions"]:
    action = getattr(models, name.capitalize() + "Action")
    typed = action.from_json(json.dumps(example))
    for value in [typed, [typed]]:
        try:
            decoded = call("run_actions", session, models.Actions(value))
            expect(type(decoded) is type(state), value, decoded)
        except generated.ApiException as error:
            # A reactor may reject an action that it understands.
            expect(json.loads(error.body)["type"] == "/problems/effect-failed", value, error)
            expect(isinstance(error.data, models.Problem), value, error.data)
            counts.add("responses")
        counts.add("actions")
for operation in ["read_session", "read_state", "read_log", "list_effects", "list_timers", "list_subscribers"]:
    call(operation, session)
for operation in ["describe_reactor", "list_sessions", "list_failures"]:
    call(operation)
with urllib.request.urlopen(f"{url}/v1/reactors/{name}/sessions/{session}/events") as stream:
    line = next(line for line in stream if line.startswith(b"data:"))
written = json.loads(line[5:])
expect(is_same(json.loads(type(state).from_dict(written).to_json()), written), line)
counts.add("events")
counts.add("reactors")
print(counts)
