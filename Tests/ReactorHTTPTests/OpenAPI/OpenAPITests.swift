import ReactorCoding
import ReactorHost
import ReactorStreams
import Testing

@testable import ReactorHTTP

/// What `/openapi.json` says, compared with what is served.
struct OpenAPITests {
  private let document: JSONValue
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
    var document = OpenAPIDocument(host: host, version: "1.2.3")
    self.document = document.value()
  }

  @Test(arguments: Address.allCases)
  func `each address is described with exactly the methods that it serves`(address: Address) {
    let schemas = Address.Schemas(state: [:], actions: [:], actionExamples: [], global: [:])
    #expect(
      Set(address.operations(schemas).map(\.method))
        == Set(address.methods).subtracting(["HEAD"]))
    #expect(document["paths"]?[address.template] != nil)
  }

  @Test(arguments: Address.allCases)
  func `each template is the address of its route`(address: Address) {
    let names = [
      "{reactor}": "number", "{session}": "demo", "{effect}": "a-1", "{global}": "motto",
      "{problem}": "not-found", "{file}": "page.css", "{inspectorFile}": "tree.js",
      "{exampleFile}": "chat.html",
    ]
    let path = names.reduce(address.template) { path, name in
      path.split(separator: "/", omittingEmptySubsequences: false)
        .map { $0 == name.key ? name.value : String($0) }.joined(separator: "/")
    }
    #expect(Route(path: path)?.address == address)
  }

  @Test func `each parameter of a template is described, and no other one in the path`() {
    let schemas = Address.Schemas(state: [:], actions: [:], actionExamples: [], global: [:])
    for address in Address.allCases {
      let named = Set(
        address.template.split(separator: "/").filter { $0.hasPrefix("{") }
          .map { String($0.dropFirst().dropLast()) })
      for operation in address.operations(schemas) {
        let described = operation.parameters.filter {
          document["components"]?["parameters"]?[$0.rawValue]?["in"] == "path"
        }
        #expect(Set(described.map(\.rawValue)) == named, "\(operation.id)")
      }
    }
  }

  @Test func `no two operations have the same id`() {
    let schemas = Address.Schemas(state: [:], actions: [:], actionExamples: [], global: [:])
    let ids = Address.allCases.flatMap { $0.operations(schemas) }.map(\.id)
    #expect(Set(ids).count == ids.count)
  }

  @Test func `each problem is told by some operation`() {
    let schemas = Address.Schemas(state: [:], actions: [:], actionExamples: [], global: [:])
    let told = Set(
      Address.allCases.flatMap { $0.operations(schemas) }.flatMap(\.problems)
        + ProblemKind.ofEveryAddress)
    #expect(Set(ProblemKind.allCases).subtracting(told).isEmpty)
  }

  @Test func `every reference leads somewhere`() throws {
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

  @Test func `the schemas of the reactor are those that its own address shows`() throws {
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
