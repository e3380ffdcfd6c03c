import Testing

/// Requests that a web page of another origin causes, against a service with its default settings.
@Suite(.blocking)
struct ForeignPageTests {
  private let server: ReactordProcess
  private let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  @Test func `a name that was rebound to this machine is 421, and nothing changes`() throws {
    for (method, target) in [("GET", "/state"), ("DELETE", "")] {
      let (response, _) = try session.client.raw(
        "\(method) \(session.path)\(target) HTTP/1.1\r\nHost: evil.example:\(server.port)\r\n"
          + "Origin: http://evil.example:\(server.port)\r\n\r\n")
      let problem = try expectProblem(response, 421, "misdirected-request")
      #expect(problem["detail"]?.string?.contains("http.hosts") == true)
    }
    #expect(try session.state().status == 200)
  }

  @Test(arguments: [
    ["Origin": "http://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
  ])
  func `a request of another origin is 403, whatever its content type`(
    fields: [String: String]
  ) throws {
    let requests: [(method: String, path: String, type: String?, body: String?)] = [
      ("POST", session.path + "/actions", "application/json", #""increase""#),
      ("POST", session.path + "/actions", "text/plain", #""increase""#),
      ("POST", session.siblings, "text/plain", ""), ("POST", session.siblings, nil, nil),
      ("PUT", session.path, nil, nil), ("DELETE", session.path, nil, nil),
    ]
    for (method, path, type, body) in requests {
      let all = fields.merging(type.map { ["Content-Type": $0] } ?? [:]) { $1 }
      let response = try session.client.send(method, path, all, body: body.map { Array($0.utf8) })
      let problem = try expectProblem(response, 403, "foreign-origin")
      #expect(problem["detail"]?.string?.contains("cors.origins") == true)
    }
    #expect(try session.state().text == #"{"value":0}"#)
    #expect(try session.subscribers() == nil)
  }
}
