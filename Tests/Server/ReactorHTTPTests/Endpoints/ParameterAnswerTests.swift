import ReactorCore
import ReactorHost
import ReactorStreams
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// The parameters of sessions over HTTP.
struct ParameterAnswerTests {
  struct Room: Codable, Sendable { var title: String }

  final class RoomReactor: Reactor {
    typealias Action = String
    typealias Mutation = String
    typealias State = String

    let initialState: String

    init(_ room: Room) { initialState = room.title }

    func mutate(action: String) -> Observable<String> { .just(action) }
    func reduce(state: String, mutation: String) -> String { state + mutation }
  }

  private let api = ReactorAPI(
    host: Host([
      ReactorRegistration("room", summary: "A room", parameters: Room.self) {
        RoomReactor($0.parameters)
      },
      ReactorRegistration(
        "hall", summary: "A hall", parameters: Room.self, defaultParameters: Room(title: "Hall")
      ) { RoomReactor($0.parameters) },
    ]), settings: Service.settings, logger: .silent, background: WorkerPool(width: 0))

  private func ask(
    _ method: String, _ path: String, body: String? = nil
  ) throws -> HTTPResponse {
    let responses = Recorder<HTTPResponse>()
    api.respond(
      to: HTTPRequest(
        method: method, path: "/v1/reactors/" + path, query: nil,
        headers: HTTPRequestHeaders(body == nil ? [] : [(.contentType, "application/json")]),
        body: Array((body ?? "").utf8), hasBody: body != nil),
      reply: { responses.add($0) })
    return try #require(responses.values.first)
  }

  @Test func `PUT and POST create a session with parameters, which GET shows`() throws {
    let created = try ask("PUT", "room/sessions/a", body: #"{"parameters":{"title":"Café"}}"#)
    #expect(created.status == 201)
    #expect(created.text == #""Café""#)
    #expect(created[field: "Session-Parameters"] == #"{"title":"Caf\u00e9"}"#)
    let shown = try ask("GET", "room/sessions/a")
    #expect(shown[field: "Session-Parameters"] == #"{"title":"Caf\u00e9"}"#)
    #expect(try ask("GET", "room/sessions/a/parameters").text == #"{"title":"Café"}"#)
    let posted = try ask("POST", "room/sessions", body: #"{"id":"b","parameters":{"title":"B"}}"#)
    #expect(posted.status == 201)
    #expect(posted.text == #""B""#)
    #expect(try ask("PUT", "room/sessions/a").status == 200)
    let fork = try ask(
      "POST", "room/sessions",
      body: #"{"id":"c","from":{"session":"b"},"parameters":{"title":"C"}}"#)
    #expect(fork.text == #""C""#)
  }

  @Test func `a session that needs parameters is not created without`() throws {
    #expect(try ask("PUT", "room/sessions/a").problem == "422 parameters-required")
    #expect(try ask("POST", "room/sessions").problem == "422 parameters-required")
    #expect(try ask("GET", "room/sessions/a").problem == "422 parameters-required")
    let action = try ask("POST", "room/sessions/a/actions", body: #""x""#)
    #expect(action.problem == "422 parameters-required")
    #expect(try ask("GET", "hall/sessions/a").text == #""Hall""#)
  }

  @Test(arguments: [
    (#"{"parameters":{}}"#, "422 invalid-body", #""pointer":"/parameters""#),
    (#"{"parameters":{"title":1}}"#, "422 invalid-body", #""pointer":"/parameters/title""#),
    (#"{"parameters":7}"#, "422 invalid-body", #""pointer":"/parameters""#),
    (#"[]"#, "422 invalid-body", #""pointer":"""#), (#"{"#, "400 malformed-json", #""offset""#),
  ])
  func `parameters that do not fit are rejected with a pointer`(
    body: String, problem: String, member: String
  ) throws {
    for (method, path) in [("PUT", "room/sessions/a"), ("POST", "room/sessions")] {
      let response = try ask(method, path, body: body)
      #expect(response.problem == problem)
      #expect(response.text.contains(member))
    }
  }

  @Test func `a PUT with other parameters than the session has is a conflict`() throws {
    _ = try ask("PUT", "room/sessions/a", body: #"{"parameters":{"title":"A"}}"#)
    let other = try ask("PUT", "room/sessions/a", body: #"{"parameters":{"title":"B"}}"#)
    #expect(other.problem == "409 session-exists")
    #expect(other.text.contains(#""pointer":"/parameters""#))
  }

  @Test func `a reactor without parameters rejects them and shows none`() throws {
    let service = Service()
    let path = "\(Service.root)/a"
    #expect(try service.ask("PUT", path, body: #"{"parameters":{}}"#).problem == "422 invalid-body")
    #expect(try service.ask("PUT", path, body: "{}").status == 201)
    #expect(try service.ask("GET", path)[field: "Session-Parameters"] == nil)
    #expect(try service.ask("GET", path + "/parameters").text == "null")
  }

  @Test func `the catalogue, the types and OpenAPI have the parameters`() throws {
    let description = try ask("GET", "hall").text
    #expect(description.contains(#""parametersSchema":{"#))
    #expect(description.contains(#""defaultParameters":{"title":"Hall"}"#))
    #expect(try ask("GET", "room").text.contains(#""defaultParameters":null"#))
    #expect(try ask("GET", "room/types.ts").text.contains("export type Parameters = "))
    let openAPI = try Service().ask("GET", "/openapi.json").text
    #expect(openAPI.contains("EnsuredSession"))
  }
}
