"""Validates an AsyncAPI document and the data of events.

    validate.py DOCUMENT EVENTS

EVENTS has one JSON object per line: {"channel": …, "event": …, "data": …, "id": …}, data and id as text. Each has to be
an event of its channel whose data fits the schema of one of the messages with its name.
"""

import json
import sys
import warnings

import jsonschema

with warnings.catch_warnings(action="ignore"):  # The models have fields with the names of methods.
    from asyncapi3.models.asyncapi import AsyncAPI3


def fits(message, event, document):
    if "headers" in message and not event.get("id"):
        return False
    if message["contentType"] != "application/json":
        return True
    schema = {**message["payload"], "components": document["components"]}
    return jsonschema.Draft7Validator(schema).is_valid(json.loads(event["data"]))


with open(sys.argv[1]) as file:
    document = json.load(file)
# The models reject the dots in the names of schemas, which AsyncAPI permits.
AsyncAPI3.model_validate({**document, "components": {}})
for schema in document["components"]["schemas"].values():
    jsonschema.Draft7Validator.check_schema(schema)
with open(sys.argv[2]) as file:
    for line in file:
        event = json.loads(line)
        messages = document["channels"][event["channel"]]["messages"].values()
        if not any(fits(message, event, document) for message in messages if message["name"] == event["event"]):
            sys.exit(f"no message fits {line}")
