import Testing

/// `GET /v1/reactors` and below: what is hosted.
@Suite(.blocking)
struct CatalogueTests {
  let server: ReactordProcess
  let client: HTTPClient

  init() throws {
    server = try ReactordProcess.shared.get()
    client = server.client()
  }

  @Test func `the catalogue lists each reactor with its summary and its links`() throws {
    let answer = try client.get("/v1/reactors")
    #expect(answer.status == 200)
    #expect(answer["Content-Type"] == "application/json")
    let reactors = try #require(try answer.json["reactors"]?.array)
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
  func `a reactor's page has its name, its summary and its initial state`(
    name: String, initialState: String
  ) throws {
    let answer = try client.get("/v1/reactors/\(name)")
    #expect(answer.status == 200)
    let page = try answer.json
    #expect(page["name"]?.string == name)
    #expect(page["summary"]?.string?.isEmpty == false)
    #expect(page["initialState"] == (try JSON(parsing: initialState)))
    #expect(page["links"]?["sessions"] == .string("/v1/reactors/\(name)/sessions"))
    #expect(try server.session(of: name).state().json == (try JSON(parsing: initialState)))
  }

  @Test(arguments: ["counter", "profile", "stopwatch"])
  func `a reactor's page has the schemas of what goes in and comes out`(name: String) throws {
    let page = try client.get("/v1/reactors/\(name)").json
    for schema in ["actionSchema", "mutationSchema", "stateSchema"] {
      #expect(page[schema]?.names.isEmpty == false, "\(schema)")
    }
  }

  @Test(arguments: ["counter", "profile", "stopwatch"])
  func `every example action is one that the reactor takes`(name: String) throws {
    let page = try client.get("/v1/reactors/\(name)").json
    let examples = try #require(page["exampleActions"]?.array)
    #expect(!examples.isEmpty)
    let session = server.session(of: name)
    for example in examples {
      let answer = try session.post(example.text, ["Prefer": "respond-async"])
      #expect(answer.status == 202, "\(example.text): \(answer.text)")
    }
  }

  @Test func `the example actions of the counter are written in the shortest form`() throws {
    let page = try client.get("/v1/reactors/counter").json
    let examples = try #require(page["exampleActions"]?.array)
    #expect(examples.contains("increase"))
    #expect(examples.contains(["add": 5]))
  }

  @Test(arguments: [
    "", "/sessions", "/sessions/a", "/sessions/a/state", "/sessions/a/log", "/sessions/a/events",
  ])
  func `a reactor that is not hosted is 404 unknown-reactor everywhere`(rest: String) throws {
    try expectProblem(try client.get("/v1/reactors/nobody" + rest), 404, "unknown-reactor")
  }

  @Test(arguments: [
    "/v1", "/v2/reactors", "/v1/reactors/counter/other", "/nothing", "/v1/globals/a/b",
  ])
  func `an address where nothing is, is 404 not-found`(path: String) throws {
    try expectProblem(try client.get(path), 404, "not-found")
  }

  @Test func `the root is a web page`() throws {
    let answer = try client.get("/", ["Accept": "text/html,*/*;q=0.8"])
    #expect(answer.status == 200)
    #expect(answer["Content-Type"]?.hasPrefix("text/html") == true)
    #expect(answer.text.lowercased().contains("<!doctype html>"))
  }

  @Test(arguments: ["/healthz", "/readyz"])
  func `a service that runs is healthy and ready`(path: String) throws {
    let answer = try client.get(path)
    #expect(answer.status == 200)
    #expect(answer["Content-Type"] == "application/json")
    #expect(try !answer.json.names.isEmpty)
  }
}
