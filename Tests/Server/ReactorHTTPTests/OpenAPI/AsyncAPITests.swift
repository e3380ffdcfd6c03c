import ReactorCoding
import ReactorHost
import ReactorStreams
import Testing

@testable import ReactorHTTP

/// Compares `/asyncapi.json` with the endpoint table and `/openapi.json`.
struct AsyncAPITests {
  private let document: JSONValue
  private let openAPI: JSONValue
  private let table: EndpointTable
  private let host: Host

  init() {
    let service = DescribedService()
    (table, host) = (service.table, service.host)
    openAPI = service.openAPI.value()
    document = AsyncAPIDocument(service.openAPI).value()
  }

  private func members(_ value: JSONValue?) -> [JSONValue.Member] {
    if case .object(let members)? = value { members } else { [] }
  }

  @Test func `each stream is a channel with an operation, and nothing else is`() {
    let streams = table.resources.flatMap { resource in
      resource.endpoints.filter { $0.traits.contains(.stream) }
        .map { (resource.template, $0.operation().id) }
    }
    #expect(streams.count == 4)
    #expect(Set(members(document["channels"]).map(\.name)) == Set(streams.map(\.1)))
    #expect(Set(members(document["operations"]).map(\.name)) == Set(streams.map(\.1)))
    for (template, id) in streams {
      let channel = document["channels"]?[id]
      #expect(channel?["address"] == .string(template))
      let names = Set(members(channel?["parameters"]).map(\.name))
      #expect(names == Set(table.resources.first { $0.template == template }?.parameters ?? []))
      let operation = document["operations"]?[id]
      #expect(operation?["action"] == "send")
      #expect(operation?["channel"]?["$ref"] == .string("#/channels/\(id)"))
      #expect(operation?["bindings"]?["http"]?["query"]?["properties"]?["last_event_id"] != nil)
    }
  }

  @Test func `each kind of event is a message of its streams`() {
    func events(_ id: String) -> Set<String> {
      Set(
        members(document["channels"]?[id]?["messages"]).compactMap {
          if case .string(let name)? = $0.value["name"] { name } else { nil }
        })
    }
    let kinds = (0...5).compactMap { StreamEvent.Kind(rawValue: $0) }
    #expect(kinds.count == 6 && StreamEvent.Kind(rawValue: 6) == nil)
    let values = Set(kinds.map { $0.name ?? "message" })
    let ends: Set = ["reset", "draining", "expired"]
    let notices: Set = ["activity", "presence", "signal", "end"]
    #expect(events("streamGlobalEvents") == values.union(ends))
    #expect(events("streamEvents") == values.union(ends).union(notices))
    #expect(
      events("streamManyEvents")
        == values.subtracting(["message", "state"]).union(ends).union(notices).union([
          "{reactor}/{session}"
        ]))
    #expect(events("streamChanges") == ends.union(["message"]))
  }

  @Test func `payloads use the schemas of openapi, and every reference resolves`() throws {
    let schemas = members(document["components"]?["schemas"])
    #expect(
      schemas.contains { $0.name == "number.State" } && !schemas.contains { $0.name == "Problem" })
    for schema in schemas {
      #expect(openAPI["components"]?["schemas"]?[schema.name] == schema.value)
    }
    #expect(
      document["channels"]?["streamEvents"]?["messages"]?["state"]?["payload"]
        == ["$ref": "#/components/schemas/number.State"])
    var count = 0
    func follow(_ value: JSONValue) throws {
      switch value {
      case .object(let members):
        for member in members {
          // The default format of schemas is JSON Schema draft 7.
          #expect(!["prefixItems", "$defs", "unevaluatedProperties"].contains(member.name))
          guard member.name == "$ref", case .string(let target) = member.value else {
            try follow(member.value)
            continue
          }
          count += 1
          let pointer = try JSONPointer(String(target.dropFirst()))
          #expect(try pointer.bytes(in: document.bytes) != nil, "\(target)")
        }
      case .array(let elements): for element in elements { try follow(element) }
      default: break
      }
    }
    try follow(document)
    #expect(count > 50)
  }

  @Test func `the document of a reactor has its stream only`() {
    let own = AsyncAPIDocument(
      OpenAPIDocument(
        table, host: host, files: Service.files, version: "1.2.3", reactor: "number")
    ).value()
    #expect(members(own["channels"]).map(\.name) == ["streamEvents"])
    let channel = own["channels"]?["streamEvents"]
    #expect(channel?["address"] == "/v1/reactors/number/sessions/{session}/events")
    #expect(members(channel?["parameters"]).map(\.name) == ["session"])
  }
}
