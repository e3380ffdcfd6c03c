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

  @Test func `the schemas are those of the hosted reactors`() throws {
    let document = try client.get("/openapi.json").json
    for name in ["counter", "profile", "weather", "chat", "stopwatch"] {
      let reactor = try client.get("/v1/reactors/\(name)").json
      let schemas = document["components"]?["schemas"]
      #expect(schemas?["\(name).Action"] == reactor["actionSchema"])
      #expect(schemas?["\(name).Mutation"] == reactor["mutationSchema"])
      #expect(schemas?["\(name).State"] == reactor["stateSchema"])
    }
  }
}
