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
    let service = DescribedService()
    (table, host) = (service.table, service.host)
    document = service.openAPI.value()
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
    var targets: Set<String> = []
    func follow(_ value: JSONValue) {
      switch value {
      case .object(let members):
        for member in members {
          guard member.name == "$ref", case .string(let target) = member.value else {
            follow(member.value)
            continue
          }
          targets.insert(target)
        }
      case .array(let elements): elements.forEach(follow)
      default: break
      }
    }
    follow(document)
    #expect(!targets.isEmpty)
    let bytes = document.bytes
    for target in targets {
      let pointer = try JSONPointer(String(target.dropFirst()))
      #expect(try pointer.bytes(in: bytes) != nil, "\(target)")
    }
  }

  @Test func `each schema has the form that generators understand`() {
    func check(_ value: JSONValue) {
      switch value {
      case .object(let members):
        for member in members {
          #expect(!["const", "$defs"].contains(member.name), "\(value)")
          if member.name == "enum" { #expect(value["type"] != nil, "\(value)") }
          if member.name == "type", case .array = member.value { Issue.record("\(value)") }
          if member.value == "array", member.name == "type" { #expect(value["items"] != nil) }
          check(member.value)
        }
      case .array(let elements): elements.forEach(check)
      default: break
      }
    }
    check(document["components"] ?? .null)
    check(document["paths"] ?? .null)
  }

  @Test func `the document of a reactor has its addresses, its types and no other component`()
    throws
  {
    let own = OpenAPIDocument(
      table, host: host, files: Service.files, version: "1.2.3", reactor: "number"
    ).value()
    guard case .object(let paths)? = own["paths"] else { return #expect(Bool(false)) }
    #expect(!paths.isEmpty && paths.allSatisfy { $0.name.hasPrefix("/v1/reactors/number") })
    #expect(own["components"]?["schemas"]?["number.State"] != nil)
    #expect(own["components"]?["schemas"]?["Quarantine"] == nil)
    #expect(own["components"]?["parameters"]?["reactor"] == nil)
  }
}
