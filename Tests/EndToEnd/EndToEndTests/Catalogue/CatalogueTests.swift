import Testing

/// `GET /v1/reactors` and below: the hosted reactors.
@Suite(.blocking)
struct CatalogueTests {
  let server: ReactordProcess
  let client: HTTPClient

  init() throws {
    server = try ReactordProcess.shared.get()
    client = server.client()
  }

  @Test func `the catalogue lists each reactor with its summary and links`() throws {
    let response = try client.get("/v1/reactors")
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "application/json")
    let reactors = try #require(try response.json["reactors"]?.array)
    let names = reactors.compactMap { $0["name"]?.string }
    for name in ["counter", "profile", "stopwatch"] { #expect(names.contains(name)) }
    for (name, reactor) in zip(names, reactors) {
      #expect(reactor["summary"]?.string?.isEmpty == false)
      #expect(reactor["links"]?["self"] == .string("/v1/reactors/\(name)"))
      #expect(reactor["links"]?["sessions"] == .string("/v1/reactors/\(name)/sessions"))
    }
  }

  @Test(arguments: [
    ("counter", #"{"value":0}"#),
    ("profile", #"{"isFollowing":false,"user":null}"#),
    ("stopwatch", #"{"ticks":0,"isRunning":false}"#),
  ])
  func `a reactor's page has its name, summary and initial state`(
    name: String, initialState: String
  ) throws {
    let response = try client.get("/v1/reactors/\(name)")
    #expect(response.status == 200)
    let page = try response.json
    #expect(page["name"]?.string == name)
    #expect(page["summary"]?.string?.isEmpty == false)
    #expect(page["initialState"] == (try JSON(parsing: initialState)))
    #expect(page["links"]?["sessions"] == .string("/v1/reactors/\(name)/sessions"))
    #expect(try server.session(of: name).state().json == (try JSON(parsing: initialState)))
  }

  @Test(arguments: ["counter", "profile", "stopwatch"])
  func `a reactor's page has the schemas of its actions and states`(name: String) throws {
    let page = try client.get("/v1/reactors/\(name)").json
    for schema in ["actionSchema", "mutationSchema", "stateSchema"] {
      #expect(page[schema]?.names.isEmpty == false, "\(schema)")
    }
  }

  @Test(arguments: ["counter", "profile", "stopwatch"])
  func `every example action is accepted by its reactor`(name: String) throws {
    let page = try client.get("/v1/reactors/\(name)").json
    let examples = try #require(page["exampleActions"]?.array)
    #expect(!examples.isEmpty)
    let session = server.session(of: name)
    for example in examples {
      let response = try session.post(example.text, ["Prefer": "respond-async"])
      #expect(response.status == 202, "\(example.text)")
    }
  }

  @Test func `the example actions of the counter have their shortest form`() throws {
    let page = try client.get("/v1/reactors/counter").json
    let examples = try #require(page["exampleActions"]?.array)
    #expect(examples.contains("increase"))
    #expect(examples.contains(["add": 5]))
  }

  @Test(arguments: [
    "", "/sessions", "/sessions/a", "/sessions/a/state", "/sessions/a/log", "/sessions/a/events",
  ])
  func `an unknown reactor is 404 unknown-reactor at every address`(rest: String) throws {
    try expectProblem(try client.get("/v1/reactors/unknown" + rest), 404, "unknown-reactor")
  }

  @Test(arguments: [
    "/v1", "/v2/reactors", "/v1/reactors/counter/other", "/nothing", "/v1/globals/a/b",
  ])
  func `an unknown address is 404 not-found`(path: String) throws {
    try expectProblem(try client.get(path), 404, "not-found")
  }

  @Test func `the root is a web page`() throws {
    let response = try client.get("/", ["Accept": "text/html,*/*;q=0.8"])
    #expect(response.status == 200)
    #expect(response["Content-Type"]?.hasPrefix("text/html") == true)
    #expect(response.text.lowercased().contains("<!doctype html>"))
  }

  @Test(arguments: ["/healthz", "/readyz"])
  func `a running service is healthy and ready`(path: String) throws {
    let response = try client.get(path)
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "application/json")
    #expect(try !response.json.names.isEmpty)
  }
}
