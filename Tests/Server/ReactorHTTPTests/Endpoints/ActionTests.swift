import ReactorTransport
import ReactorHTTP
import ReactorHost
import ReactorStreams
import Testing

/// The responses to actions.
struct ActionAnswerTests {
  private let service = Service()

  private let one = #"{"value":1,"label":"none"}"#
  private let zero = #"{"value":0,"label":"none"}"#

  @Test func `the response to an action is the state with its cursor and type`() throws {
    let response = try service.act(#"{"add":1}"#)
    #expect(response.status == 200)
    #expect(response.text == one)
    #expect(response[field: "Content-Type"] == "application/json")
    #expect(response[field: "ETag"] == "\"\(try service.cursor(1))\"")
    #expect(response[field: "X-Content-Type-Options"] == "nosniff")
    #expect(response[field: "Preference-Applied"] == nil)
  }

  @Test func `a minimal response has no body`() throws {
    let response = try service.act(#"{"add":1}"#, [(.prefer, "return=minimal")])
    #expect(response.status == 204)
    #expect(response.text.isEmpty)
    #expect(response[field: "ETag"] == "\"\(try service.cursor(1))\"")
    #expect(response[field: "Preference-Applied"] == "return=minimal")
  }

  // MARK: Waiting

  @Test func `respond-async responds when the action is accepted`() throws {
    let response = try service.act(#""hold""#, [(.prefer, "respond-async")])
    #expect(response.status == 202)
    #expect(response.text == zero)
    #expect(response[field: "Preference-Applied"] == "respond-async")
    let minimal = try service.act(#""hold""#, [(.prefer, "respond-async, return=minimal")])
    #expect(minimal.status == 202)
    #expect(minimal.text.isEmpty)
    #expect(minimal[field: "ETag"] != nil)
    #expect(minimal[field: "Preference-Applied"] == "respond-async, return=minimal")
    service.effect.onNext(.add(1))
    service.effect.onCompleted()
    #expect(try service.ask("GET", "\(Service.root)/demo").text == #"{"value":2,"label":"none"}"#)
  }

  @Test func `a wait of zero responds at once`() throws {
    let response = try service.act(#""hold""#, [(.prefer, "wait=0")])
    #expect(response.status == 202)
    #expect(response[field: "Preference-Applied"] == "wait=0")
    // A completed action does not wait.
    #expect(try service.act(#"{"add":1}"#, [(.prefer, "wait=0")]).status == 200)
  }

  @Test(.timeLimit(.minutes(60)))
  func `after the wait time the response is 202 with the current state`() async throws {
    let service = Service(settings: { $0.actionWait = .milliseconds(1) })
    let (responses, response) = AsyncStream<HTTPResponse>.makeStream()
    service.api.respond(
      to: HTTPRequest(
        method: "POST", path: "\(Service.root)/demo/actions",
        headers: [(.contentType, "application/json")], body: Array(#""hold""#.utf8)),
      reply: { response.yield($0) })
    for await response in responses {
      #expect(response.status == 202)
      #expect(response.text == zero)
      break
    }
    service.effect.onNext(.add(1))
    service.effect.onCompleted()
    #expect(try service.ask("GET", "\(Service.root)/demo").text == one)
  }

  @Test func `an effect that ends within the wait time is 200`() throws {
    let responses = service.start(
      "POST", "\(Service.root)/demo/actions", [(.prefer, "wait=600")], body: #""hold""#)
    #expect(responses.values.isEmpty)
    service.effect.onNext(.add(1))
    service.effect.onCompleted()
    let response = try #require(responses.values.first)
    #expect(response.status == 200)
    #expect(response.text == one)
    #expect(response[field: "Preference-Applied"] == "wait=600")
  }

  // MARK: Failures

  @Test func `an error of the reactor chooses status and title`() throws {
    let response = try service.act(#"{"refuse":418}"#)
    #expect(response.problem == "418 effect-failed")
    #expect(response.text.contains(#""title":"Not today""#))
    #expect(!response.text.contains(#""index""#))
    #expect(response[field: "ETag"] == "\"\(try service.cursor(1))\"")
  }

  @Test(arguments: [0, 200, 302, 399, 600, -1, .max])
  func `an error of the reactor is never a success`(status: Int) throws {
    #expect(try service.act(#"{"refuse":\#(status)}"#).problem == "500 effect-failed")
  }

  @Test func `another error does not reveal its cause`() throws {
    let response = try service.act(#""fail""#)
    #expect(response.problem == "500 effect-failed")
    #expect(!response.text.contains("Mishap"))
  }

  @Test func `in an array the failure has an index`() throws {
    let response = try service.act(#"[{"add":1},{"refuse":409},"fail",{"add":1}]"#)
    #expect(response.problem == "409 effect-failed")
    #expect(response.text.contains(#""index":1"#))
    #expect(try service.ask("GET", "\(Service.root)/demo").text == #"{"value":3,"label":"none"}"#)
  }

  @Test func `an action that is rejected at once is a problem with respond-async, too`() throws {
    #expect(try service.act(#""nonsense""#, [(.prefer, "respond-async")]).status == 422)
    #expect(try service.act("{", [(.prefer, "respond-async")]).problem == "400 malformed-json")
  }

  @Test(arguments: [
    (#"{"#, "400 malformed-json", #""offset":1"#), ("", "400 malformed-json", #""offset":0"#),
    (#""nonsense""#, "422 invalid-action", #""expected":["add","label","fail","refuse","hold"]"#),
    (#"[{"add":1},{"add":"1"}]"#, "422 invalid-action", #""pointer":"/1/add""#),
  ])
  func `an invalid body is a problem with a position`(
    body: String, problem: String, member: String
  ) throws {
    let response = try service.act(body)
    #expect(response.problem == problem)
    #expect(response.text.contains(member))
    #expect(try service.ask("GET", "\(Service.root)/demo").text == zero)
  }

  @Test func `a body of another type is 415`() throws {
    let types: [String?] = [
      "text/plain", "application/x-www-form-urlencoded", "application/json;charset=x",
    ]
    for type in types.compactMap(\.self) {
      #expect(try service.act("\"hold\"", [(.contentType, type)]).status == 415)
    }
    let missing = service.start("POST", "\(Service.root)/demo/actions", body: nil)
    #expect(missing.values.first?.problem == "400 malformed-json")
    let encoded = try service.act(
      "\"hold\"", [(.contentType, "application/json"), (.contentEncoding, "gzip")])
    #expect(encoded.status == 415)
  }

  @Test func `If-Match executes the action only at its cursor`() throws {
    let first = "\"\(try service.cursor(0))\""
    #expect(try service.act(#"{"add":1}"#, [(.ifMatch, first)]).status == 200)
    let late = try service.act(#"{"add":1}"#, [(.ifMatch, first)])
    #expect(late.problem == "412 version-mismatch")
    #expect(late[field: "ETag"] == "\"\(try service.cursor(1))\"")
    #expect(try service.act(#"{"add":1}"#, [(.ifMatch, "*")]).status == 200)
    #expect(try service.act(#"{"add":1}"#, [(.ifMatch, "nonsense")]).status == 400)
    #expect(
      try service.act(
        #"{"add":1}"#, [(.ifMatch, first), (.ifMatch, "\"\(try service.cursor(2))\"")]
      )
      .status == 200)
  }

  @Test func `an Idempotency-Key belongs to the token of a client without a principal`() throws {
    let tokens = ["a-token-without-a-name-1", "a-token-without-a-name-2"]
    let service = Service(settings: {
      $0.authentication = .tokens(
        tokens.map { $0 + " act" }.joined(separator: "\n"),
        rules: #"[{"allow":"act","to":"number/demo","anonymous":true}]"#)
    })
    let clients = [[]] + tokens.map { [(name: HTTPHeader.authorization, value: "Bearer \($0)")] }
    for replayed in [nil, "true"] {
      for headers in clients {
        let response = try service.act(#"{"add":1}"#, headers + [(.idempotencyKey, "k")])
        #expect(response.status == 200)
        #expect(response[field: "Idempotent-Replayed"] == replayed)
      }
    }
    #expect(try service.act(#"{"add":1}"#).text == #"{"value":4,"label":"none"}"#)
  }

  @Test func `a session that ends during an action responds with 410`() throws {
    let responses = service.start("POST", "\(Service.root)/demo/actions", body: #""hold""#)
    #expect(try service.ask("DELETE", "\(Service.root)/demo").status == 204)
    #expect(responses.values.first?.problem == "410 session-ended")
    #expect(try service.act(#"{"add":1}"#).problem == "410 session-ended")
  }
}
