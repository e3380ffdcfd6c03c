internal import ReactorCoding
internal import ReactorTransport

/// The AsyncAPI 3 description of the streams of a host, or of one of its reactors.
///
/// Generated from the endpoint table, with the schemas of the ``OpenAPIDocument``.
struct AsyncAPIDocument {
  private let api: OpenAPIDocument

  init(_ api: OpenAPIDocument) {
    self.api = api
  }

  /// Returns the document.
  func value() -> JSONValue {
    let streams = streams
    var document: JSONValue = [
      "asyncapi": "3.0.0",
      "info": [
        "title": .string(api.reactor.map { "reactord: \($0)" } ?? "reactord"),
        "version": .string(api.version),
        "description": .string(Self.introduction),
        "license": [
          "name": "Apache 2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0",
        ],
      ],
      "defaultContentType": "application/json",
      "channels": .object(streams.map { .init($0.operation.id, channel(of: $0)) }),
      "operations": .object(streams.map { .init($0.operation.id, describe($0)) }),
      "components": ["schemas": .object(api.schemas)],
    ]
    OpenAPIDocument.removeComponents(
      from: &document, ["schemas"], unusedIn: [document["channels"] ?? .null])
    return document
  }

  private static let introduction = """
    The streams of the service: server-sent events, as responses to `GET`. The data of an event is JSON, its `id` the \
    position from which another stream continues (`Last-Event-ID`, or `last_event_id` in the query). The name of a \
    message is that of its event, `message` for an event without a name. `/openapi.json` describes the other requests, \
    the header fields and the credentials; its schemas have the same names.
    """

  /// An endpoint whose response is a stream.
  private struct Stream {
    let path: String
    let parameters: [String]
    let operation: Operation
    let messages: [StreamMessage]
  }

  private var streams: [Stream] {
    api.described.flatMap { resource in
      resource.endpoints.compactMap { endpoint -> Stream? in
        let operation = endpoint.operation()
        for case .stream(let messages)? in operation.responses.map(\.content) {
          return Stream(
            path: api.path(of: resource), parameters: resource.parameters, operation: operation,
            messages: messages)
        }
        return nil
      }
    }
  }

  private func channel(of stream: Stream) -> JSONValue {
    var channel: JSONValue = [
      "address": .string(api.prefix + stream.path), "title": .string(stream.operation.summary),
    ]
    let parameters = described(stream.operation, in: "path").filter {
      stream.path.contains("{\($0.name)}")
    }
    if !parameters.isEmpty {
      channel["parameters"] = .object(
        parameters.map { name, parameter in
          var description: JSONValue = ["description": parameter["description"] ?? ""]
          description["enum"] = parameter["schema"]?["enum"]
          description["examples"] = parameter["example"].map { [$0] }
          return .init(name, description)
        })
    }
    channel["messages"] = .object(stream.messages.map { .init($0.key, message($0)) })
    return channel
  }

  private func message(_ message: StreamMessage) -> JSONValue {
    var description: JSONValue = [
      "name": .string(message.event), "summary": .string(message.summary),
      "contentType": message.data == nil ? "text/plain" : "application/json",
      "payload": message.data.map(api.schema) ?? ["type": "string"],
    ]
    if message.hasID {
      description["headers"] = [
        "type": "object", "required": ["id"], "properties": ["id": ["type": "string"]],
      ]
    }
    return description
  }

  private func describe(_ stream: Stream) -> JSONValue {
    let channel = "#/channels/\(stream.operation.id)"
    var operation: JSONValue = [
      "action": "send", "channel": ["$ref": .string(channel)],
      "summary": .string(stream.operation.summary),
    ]
    if !stream.operation.detail.isEmpty {
      operation["description"] = .string(stream.operation.detail)
    }
    let query = described(stream.operation, in: "query")
    operation["bindings"] = [
      "http": [
        "method": "GET",
        "query": [
          "type": "object",
          "required": .array(
            query.filter { $0.parameter["required"] == true }.map { .string($0.name) }),
          "properties": .object(
            query.map { name, parameter in
              var schema = parameter["schema"] ?? [:]
              schema["description"] = parameter["description"]
              return .init(name, schema)
            }),
        ],
        "bindingVersion": "0.3.0",
      ]
    ]
    operation["messages"] = .array(
      stream.messages.map { ["$ref": .string("\(channel)/messages/\($0.key)")] })
    return operation
  }

  /// The parameters of an operation in a place of the request, as OpenAPI describes them.
  private func described(
    _ operation: Operation, in place: String
  ) -> [(name: String, parameter: JSONValue)] {
    operation.parameters.compactMap { parameter in
      let description = parameter.description(for: api.host, files: api.files)
      guard description["in"] == .string(place), case .string(let name)? = description["name"]
      else { return nil }
      return (name, description)
    }
  }
}
