import Testing

/// `GET /openapi.json`.
@Suite(.blocking)
struct OpenAPITests {
  let client: HTTPClient

  init() throws {
    client = try ReactordProcess.shared.get().client()
  }

  @Test func `GET openapi describes the service in OpenAPI 3_1`() throws {
    let response = try client.get("/openapi.json")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "application/json")
    let document = try response.json
    #expect(document["openapi"]?.string?.hasPrefix("3.1.") == true)
    #expect(document["info"]?["title"]?.string != nil)
    let paths = document["paths"]?.names ?? []
    for (path, _) in MethodTests.addresses {
      let template = path.replacing("S", with: "/v1/reactors/{reactor}/sessions/{session}")
        .replacing("counter", with: "{reactor}").replacing("currentUser", with: "{global}")
        .replacing("malformed-json", with: "{problem}")
      #expect(paths.contains(template), "\(template)")
    }
  }

  @Test func `the document of a reactor has its addresses and its types only`() throws {
    let document = try client.get("/openapi.json?reactor=counter").json
    let actions = document["paths"]?["/v1/reactors/counter/sessions/{session}/actions"]?["post"]
    #expect(actions?["operationId"]?.string == "runActions")
    let schemas = document["components"]?["schemas"]
    #expect(schemas?["counter.Action.Name"]?["enum"] == ["increase", "decrease"])
    #expect(schemas?["chat.Action"] == nil)
    #expect(document["paths"]?.names.allSatisfy { $0.hasPrefix("/v1/reactors/counter") } == true)
  }
}
