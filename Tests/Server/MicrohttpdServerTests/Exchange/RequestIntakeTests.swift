internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct RequestIntakeTests {
  private let limits = MicrohttpdServer.Settings.Limits(body: 10, headers: 100)

  @Test(
    arguments: [
      ([("Host", "a")], nil),
      ([("Host", "a"), ("Content-Length", "10")], nil),
      ([("Host", "a"), ("Content-Length", "11")], .bodyTooLarge),
      ([("Host", "a"), ("Content-Length", "5"), ("Content-Length", "5")], nil),
      ([("Host", "a"), ("Transfer-Encoding", "CHUNKED")], nil),
    ] as [([(String, String)], RequestIntake.Rejection?)])
  func `an announced body above the limit is rejected`(
    fields: [(String, String)], expected: RequestIntake.Rejection?
  ) {
    var intake = intake("POST")
    for (name, value) in fields { add(name, value, to: &intake) }
    #expect(intake.rejection(headSize: 100, limits: limits) == expected)
  }

  @Test func `a head above the limit is rejected`() {
    var intake = intake("GET")
    add("Host", "a", to: &intake)
    #expect(intake.rejection(headSize: 101, limits: limits) == .headersTooLarge)
  }

  @Test func `HTTP/1.0 needs no host`() {
    let intake = intake("GET", isHTTP10: true)
    #expect(intake.rejection(headSize: 10, limits: limits) == nil)
  }

  @Test func `a body may reach the limit but not exceed it`() {
    var intake = intake("POST", isHTTP10: true)
    #expect(append(6, to: &intake) == nil)
    #expect(append(4, to: &intake) == nil)
    #expect(append(1, to: &intake) == .bodyTooLarge)
  }

  @Test func `white space around a value is removed`() {
    var intake = intake("GET", isHTTP10: true)
    add("Origin", "a b \t ", to: &intake)
    let request = intake.takeRequest(from: nil, nil)
    #expect(request[header: .origin] == "a b")
  }

  @Test func `a request contains all its parts`() {
    var intake = intake("POST", isHTTP10: true)
    add("Content-Length", "6", to: &intake)
    #expect(append(6, to: &intake) == nil)
    let peer = ClientAddress(version4: 7)
    let request = intake.takeRequest(from: peer, nil)
    #expect(request.method == "POST")
    #expect(request.path == "/a")
    #expect(request.query == "b=c?d")
    #expect(request.body.count == 6)
    #expect(request.hasBody == true)
    #expect(request.peer == peer)
  }

  @Test func `a field Authorization with the same bytes is that of the former request`() throws {
    let first = try #require(authorization(["Bearer one"], after: nil))
    #expect(first.value == "Bearer one")
    #expect(authorization(["Bearer one \t"], after: first) === first)
    for other in ["Bearer onE", "Bearer on", "Bearer one1", "Bearer two", "bearer one", ""] {
      let next = authorization([other], after: first)
      #expect(next !== first, "\(other)")
      #expect(next?.value == other)
    }
    #expect(authorization([], after: first) == nil)
  }

  @Test func `repeated fields Authorization are another field than each of them`() throws {
    let first = try #require(authorization(["Bearer one"], after: nil))
    let both = authorization(["Bearer one", "Bearer two"], after: first)
    #expect(both !== first)
    #expect(both?.value == "Bearer one, Bearer two")
  }

  @Test func `a field Authorization that is too long is not retained`() {
    for (length, isRetained) in [(4096, true), (4097, false)] {
      var intake = intake("GET")
      add("Authorization", String(repeating: "a", count: length), to: &intake)
      #expect((intake.retainedAuthorization != nil) == isRetained)
      #expect(intake.takeRequest(from: nil, nil).authorization?.value.utf8.count == length)
    }
  }

  /// Returns the `Authorization` field of a request with these values; `former` is the field of the
  /// previous request on the connection.
  private func authorization(
    _ values: [String], after former: AuthorizationField?
  ) -> AuthorizationField? {
    var intake = intake("GET", after: former)
    for value in values { add("Authorization", value, to: &intake) }
    let request = intake.takeRequest(from: nil, nil)
    #expect(request.authorization?.value == request[header: .authorization])
    return request.authorization
  }

  @Test func `a Content-Length is a number of digits`() {
    for (text, isBody) in [("1", true), ("007", true), ("0", false), ("", false), ("1a", false)] {
      var intake = intake("POST")
      add("Content-Length", text, to: &intake)
      #expect(intake.expectsBody == isBody, "\(text)")
    }
  }

  @Test func `a substitute has the target and the fields of the former request`() {
    var former = intake("POST")
    add("If-Match", "\"k\"", to: &former)
    add("Content-Length", "0", to: &former)
    let head = former.completeHead(from: nil, nil)
    _ = former.takeRequest(from: nil, nil)

    let target = [RepeatedHead.target].withUnsafeBufferPointer { RequestTarget($0, question: nil) }
    var intake = RequestIntake(target)
    let isRepetition = intake.isRepetition
    #expect(isRepetition)
    let isKnown = intake.begin(method: "POST", isHTTP10: false, repeating: head)
    #expect(isKnown)
    add("Content-Length", "1", to: &intake)
    let expectsBody = intake.expectsBody
    #expect(expectsBody)
    let request = intake.takeRequest(from: nil, nil)
    #expect(request.head === head)
    #expect("\(request.path)?\(request.query ?? "")" == "/a?b=c?d")
    #expect(request.headers.map(\.value) == ["\"k\""])
  }

  @Test func `a substitute without a former request is no request`() {
    let target = [RepeatedHead.target].withUnsafeBufferPointer { RequestTarget($0, question: nil) }
    var intake = RequestIntake(target)
    let isKnown = intake.begin(method: "POST", isHTTP10: false, repeating: nil)
    #expect(!isKnown)
  }

  @Test func `the size of a body outlives the request`() {
    var intake = intake("POST", isHTTP10: true)
    #expect(append(6, to: &intake) == nil)
    #expect(intake.takeRequest(from: nil, nil).body.count == 6)
    #expect(intake.bodySize == 6)
    #expect(append(5, to: &intake) == .bodyTooLarge)
  }

  private func intake(
    _ method: String, isHTTP10: Bool = false, after former: AuthorizationField? = nil
  ) -> RequestIntake {
    let target = Array("/a?b=c?d".utf8).withUnsafeBufferPointer { RequestTarget($0, question: 2) }
    var intake = RequestIntake(target)
    intake.begin(method: method, isHTTP10: isHTTP10, formerAuthorization: former)
    return intake
  }

  private func add(_ name: String, _ value: String, to intake: inout RequestIntake) {
    let name = Array(name.utf8)
    let value = Array(value.utf8)
    name.withUnsafeBufferPointer { name in
      value.withUnsafeBufferPointer { intake.add(name: name, value: $0) }
    }
  }

  private func append(_ count: Int, to intake: inout RequestIntake) -> RequestIntake.Rejection? {
    [UInt8](repeating: 1, count: count).withUnsafeBufferPointer {
      intake.append($0, limits: limits)
    }
  }
}
