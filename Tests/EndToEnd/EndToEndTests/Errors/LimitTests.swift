import Testing

/// The configured limits.
@Suite(.blocking)
struct LimitTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess("--limits-body", "1000")
    session = server.session(of: "counter")
  }

  private func action(_ length: Int) -> String {
    #""increase""# + String(repeating: " ", count: length - 10)
  }

  @Test func `a body of the limit is accepted, one more byte is 413 body-too-large`() throws {
    #expect(try session.post(action(1000)).status == 200)
    try expectProblem(try session.post(action(1001)), 413, "body-too-large")
    #expect(try session.state().text == #"{"value":1}"#)
  }

  @Test func `a body of unknown length is rejected at the limit`() throws {
    let head =
      "POST \(session.path)/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    let chunk = "1f4;name=\"a value\"\r\n" + action(500) + "\r\n"
    let (small, _) = try session.client.raw(
      head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + "0;last\r\nTrailer: 1\r\n\r\n",
      method: "POST")
    #expect(small.status == 200)
    let (large, _) = try session.client.raw(
      head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk + chunk, method: "POST")
    try expectProblem(large, 413, "body-too-large")
    #expect(try session.state().text == #"{"value":1}"#)
  }

  @Test func `an announced body above the limit is rejected before it is sent`() throws {
    let (response, _) = try session.client.raw(
      """
      POST \(session.path)/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
      Content-Length: 100000000000\r\nExpect: 100-continue\r\n\r\n
      """, method: "POST")
    try expectProblem(response, 413, "body-too-large")
  }

  @Test func `header fields over the limit are 431 headers-too-large`() throws {
    #expect(try session.state("", ["X-Large": String(repeating: "x", count: 15_000)]).status == 200)
    let response = try session.state("", ["X-Large": String(repeating: "x", count: 17_000)])
    try expectProblem(response, 431, "headers-too-large")
  }

  @Test func `a request line over the limit is 431 or 414`() throws {
    let response = try session.client.get("/" + String(repeating: "x", count: 17_000))
    #expect([414, 431].contains(response.status))
  }

  @Test func `the service continues after all of these`() throws {
    for _ in 0..<20 {
      _ = try session.post(action(2000))
      _ = try session.state("", ["X-Large": String(repeating: "x", count: 17_000)])
    }
    #expect(try session.state().status == 200)
  }
}
