import ReactorTransport
import ReactorCoding
import ReactorHost
import ReactorStreams
import Testing

@testable import ReactorHTTP

/// Compares `/openapi.json` with the endpoint table.
struct OpenAPITests {
  private let document: JSONValue
  private let table: EndpointTable
  private let host: Host

  init() {
    host = Host(
      [
        ReactorRegistration(
          "number", summary: "A number", exampleActions: [NumberReactor.Action.add(1)]
        ) {
          NumberReactor(effect: .never())
        }
      ], globals: [Global<String?>("motto", nil)])
    table = ReactorAPI(host: host, settings: Service.settings).endpoints
    document = OpenAPIDocument(table, host: host, files: Service.files, version: "1.2.3").value()
  }

  @Test func `each endpoint is described under its path and method`() {
    for resource in table.resources {
      for endpoint in resource.endpoints {
        let operation = document["paths"]?[resource.template]?[endpoint.method.name.lowercased()]
        #expect(
          operation?["operationId"] == .string(endpoint.operation().id), "\(resource.template)")
      }
    }
  }

  @Test func `each parameter of a template is described, and no other one in the path`() {
    for resource in table.resources {
      for operation in resource.endpoints.map({ $0.operation() }) {
        let described = operation.parameters.filter {
          document["components"]?["parameters"]?[$0.rawValue]?["in"] == "path"
        }
        #expect(Set(described.map(\.rawValue)) == Set(resource.parameters), "\(operation.id)")
      }
    }
  }

  @Test func `no two operations have the same id`() {
    let ids = table.resources.flatMap(\.endpoints).map { $0.operation().id }
    #expect(Set(ids).count == ids.count)
  }

  @Test func `streams take a ticket, other operations do not`() {
    #expect(document["components"]?["securitySchemes"]?["ticket"]?["name"] == "ticket")
    for resource in table.resources {
      for endpoint in resource.endpoints {
        let operation = document["paths"]?[resource.template]?[endpoint.method.name.lowercased()]
        let security: JSONValue? =
          endpoint.traits.contains(.stream) ? [[:], ["token": []], ["ticket": []]] : nil
        #expect(operation?["security"] == security, "\(resource.template)")
      }
    }
  }

  @Test func `each problem type occurs in some operation`() {
    let described = Set(
      table.resources.flatMap(\.endpoints).flatMap { $0.operation().problems }
        + ProblemKind.ofEveryEndpoint)
    #expect(Set(ProblemKind.allCases).subtracting(described).isEmpty)
  }

  @Test func `every reference resolves`() throws {
    func follow(_ value: JSONValue) throws {
      switch value {
      case .object(let members):
        for member in members {
          guard member.name == "$ref", case .string(let target) = member.value else {
            try follow(member.value)
            continue
          }
          let pointer = try JSONPointer(String(target.dropFirst()))
          #expect(try pointer.bytes(in: document.bytes) != nil, "\(target)")
        }
      case .array(let elements): for element in elements { try follow(element) }
      default: break
      }
    }
    try follow(document)
  }

  @Test func `the schemas of a reactor are those of its description`() throws {
    let description = try #require(host.reactor("number")).description
    let state = try #require(document["components"]?["schemas"]?["number.State"])
    #expect(state.bytes == description.stateSchema)
  }

  @Test func `the schema of a global is that of its type`() throws {
    let value = try #require(document["components"]?["schemas"]?["motto.Value"])
    #expect(value.bytes == host.globals.first?.schema)
    #expect(JSONSchema.derive(String?.self, for: .input) == value)
  }
}
