internal import MicrohttpdServer
internal import ReactorTransport
internal import TestSupport
internal import Testing

extension OverSockets {
  @Suite struct Requests {
    @Test func `a request reaches the responder unchanged`() throws {
      let server = try TestServer()
      let client = try server.client()
      try client.request(
        "POST", "/v1/a%2Fb/+?select=%2Fa&x=1+2&&y", headers: ["IF-Match: \"k-1\" ", "X-Other: 1"],
        body: "\"increase\"")
      let response = try client.receiveResponse()
      #expect(response.status == 200)
      #expect(
        response.body
          == "POST /v1/a%2Fb/+ ?select=%2Fa&x=1+2&&y true [\"increase\"] host=test;if-match=\"k-1\""
      )
      #expect(response["content-type"] == "text/plain")
      #expect(response["date"]?.hasSuffix("GMT") == true)
    }

    @Test func `a connection is kept alive, request after request`() throws {
      let server = try TestServer()
      let client = try server.client()
      for number in 1...50 {
        try client.request("GET", "/\(number)")
        #expect(try client.receiveResponse().body.hasPrefix("GET /\(number) "))
      }
      #expect(server.server.statistics.connections == 1)
    }

    @Test func `a credential is retained with its connection and the same bytes`() throws {
      let server = try TestServer(
        responder: TestResponder { request, reply in
          let field = request.authorization
          reply(.text((field?.credential as? SampleCredential)?.name ?? "none"))
          if let field, field.credential == nil {
            field.credential = SampleCredential(name: field.value)
          }
        })
      func ask(_ client: TestClient, _ fields: String...) throws -> String {
        try client.request("GET", "/", headers: fields.map { "Authorization: \($0)" })
        return try client.receiveResponse().body
      }
      let (client, other) = (try server.client(), try server.client())
      #expect(try ask(client, "one") == "none")
      #expect(try ask(client, "one") == "one")
      #expect(try ask(other, "one") == "none")
      #expect(try ask(client, "onE") == "none")
      #expect(try ask(client, "onE") == "onE")
      #expect(try ask(client) == "none")
      #expect(try ask(client, "onE") == "none")
      #expect(try ask(client, "onE", "two") == "none")
      #expect(try ask(other, "one") == "one")
    }

    @Test func `repeated and other heads reach the responder alike, however they are divided`()
      throws
    {
      let server = try TestServer()
      let client = try server.client()
      var random = SystemRandomNumberGenerator()
      let heads = [
        ("POST", "/a?b=1", "Authorization: Bearer one"),
        ("POST", "/a?b=1", "Authorization: Bearer two"),
        ("PUT", "/a", "If-Match: \"k\""),
      ]
      for _ in 0..<200 {
        var expected: [String] = []
        var text = ""
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let (method, target, field) = heads[Int.random(in: 0...7, using: &random) % 6 % 3]
          let body = String(Int.random(in: 100...999, using: &random))
          text +=
            "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(field)\r\nContent-Length: 3\r\n\r\n\(body)"
          let value = field.drop { $0 != " " }.dropFirst()
          let name = field.prefix { $0 != ":" }.lowercased()
          let query = target.contains("?") ? "b=1" : "nil"
          expected.append("\(method) /a ?\(query) true [\(body)] host=a;\(name)=\(value)")
        }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
          let count =
            Bool.random(using: &random)
            ? bytes.count : Int.random(in: 1...bytes.count, using: &random)
          try client.send(Array(bytes.prefix(count)))
          bytes = bytes.dropFirst(count)
        }
        for body in expected { #expect(try client.receiveResponse().body == body) }
      }
      #expect(server.server.statistics.connections == 1)
    }

    @Test func `extensions of chunks are ignored, however they are divided`() throws {
      let server = try TestServer(settings: .init(workers: 1))
      let (client, other) = (try server.client(), try server.client())
      let head = "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      let body = "3;x=1;y=\"a b\"\r\nabc\r\n004;\r\n;d\r\n\r\n0;last\r\nTrailer: 1\r\n\r\n"
      for length in 0...body.utf8.count {
        try client.send(Array((head + body).utf8.prefix(head.utf8.count + length)))
        // The server has received the first part when it has responded to another connection.
        try other.request("GET", "/")
        _ = try other.receiveResponse()
        try client.send(Array(body.utf8.dropFirst(length)))
        #expect(try client.receiveResponse().body == "POST /c ?nil true [abc;d\r\n] host=a")
      }
      #expect(server.server.statistics.connections == 2)
    }

    @Test func `many chunks with extensions arrive as one body, beyond the size of the buffer`()
      throws
    {
      let server = try TestServer(
        responder: TestResponder { request, reply in reply(.text("\(request.body.count)")) })
      let client = try server.client()
      let head = "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      for size in [1, 50, 20_000] {
        let chunk =
          String(size, radix: 16) + ";ext=" + String(repeating: "e", count: 200) + "\r\n"
          + String(repeating: "x", count: size) + "\r\n"
        let count = 1_000_000 / chunk.utf8.count
        try client.send(head + String(repeating: chunk, count: count) + "0;e\r\n\r\n")
        #expect(try client.receiveResponse().body == "\(size * count)")
      }
      #expect(server.server.statistics.connections == 1)
    }

    @Test func `bodies that fill the buffer follow repeated heads`() throws {
      let server = try TestServer(
        responder: TestResponder { request, reply in reply(.text("\(request.body.count)")) })
      let client = try server.client()
      let body = String(repeating: "x", count: 200_000)
      for _ in 0..<5 {
        try client.request("POST", "/large", body: body)
        #expect(try client.receiveResponse().body == "200000")
      }
      #expect(server.server.statistics.connections == 1)
    }

    @Test func `chunks, expectations and bodies that resemble heads follow repeated heads`() throws
    {
      let server = try TestServer()
      let client = try server.client()
      for _ in 0..<3 {
        let head = "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        try client.send(head + "3\r\nabc\r\n0\r\n\r\n")
        #expect(try client.receiveResponse().body == "POST /c ?nil true [abc] host=a")
      }
      for _ in 0..<3 {
        try client.send(
          "POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
        try client.send("abc")
        #expect(try client.receiveResponse().body == "POST /e ?nil true [abc] host=a")
      }
      let head = "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 49\r\n\r\n"
      #expect(head.utf8.count == 49)
      for _ in 0..<3 {
        try client.send(head + head)
        #expect(try client.receiveResponse().body == "POST /b ?nil true [\(head)] host=a")
      }
      for method in ["GET", "HEAD", "HEAD", "GET", "GET"] {
        try client.request(method, "/g")
        let response = try client.receiveResponse(headOnly: method == "HEAD")
        #expect(response.body == (method == "HEAD" ? "" : "GET /g ?nil false [] host=test"))
      }
      #expect(server.server.statistics.connections == 1)
    }

    @Test func `pipelined requests get their responses in order`() throws {
      let server = try TestServer()
      let client = try server.client()
      try client.send(
        """
        GET /1 HTTP/1.1\r\nHost: a\r\n\r\n\
        POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc\
        GET /3 HTTP/1.1\r\nHost: a\r\n\r\n
        """)
      #expect(try client.receiveResponse().body.hasPrefix("GET /1 "))
      #expect(try client.receiveResponse().body.hasPrefix("POST /2 ?nil true [abc]"))
      #expect(try client.receiveResponse().body.hasPrefix("GET /3 "))
    }

    @Test func `HEAD gets the head of GET`() throws {
      let server = try TestServer(
        responder: TestResponder { _, reply in reply(.text("twelve bytes")) })
      let client = try server.client()
      try client.request("HEAD", "/")
      let response = try client.receiveResponse(headOnly: true)
      #expect(response.status == 200)
      #expect(response["content-length"] == "12")
      // If the response to HEAD had a body, the next head would not begin here.
      try client.request("GET", "/")
      #expect(try client.receiveResponse().body == "twelve bytes")
    }

    @Test(arguments: [204, 304])
    func `a response without a body ends with its head`(status: Int) throws {
      let server = try TestServer(
        responder: TestResponder { _, reply in reply(HTTPResponse(status: status)) })
      let client = try server.client()
      for _ in 1...2 {
        try client.request("GET", "/")
        #expect(try client.receiveResponse(headOnly: true).status == status)
      }
    }

    @Test(arguments: [0, 1, 65_536, 1_048_576])
    func `a body arrives complete, whatever its size`(size: Int) throws {
      let server = try TestServer(
        responder: TestResponder { request, reply in
          reply(HTTPResponse(status: 200, body: .bytes(request.body)))
        })
      let client = try server.client()
      let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
      try client.send(body)
      let response = TestResponse(head: try client.receive(until: "\r\n\r\n"))
      #expect(response["content-length"] == "\(size)")
      #expect(try client.receive(count: size) == body)
    }

    @Test func `an empty body that was announced is a body`() throws {
      let server = try TestServer()
      let client = try server.client()
      try client.request("POST", "/", body: "")
      #expect(try client.receiveResponse().body.hasPrefix("POST / ?nil true []"))
      try client.request("POST", "/")
      #expect(try client.receiveResponse().body.hasPrefix("POST / ?nil false []"))
    }

    @Test func `a chunked body arrives complete`() throws {
      let server = try TestServer()
      let client = try server.client()
      try client.request("POST", "/", headers: ["Transfer-Encoding: chunked"])
      try client.send("3\r\nabc\r\n")
      try client.send("4;x=y\r\ndefg\r\n0\r\nTrailer: 1\r\n\r\n")
      #expect(try client.receiveResponse().body.hasPrefix("POST / ?nil true [abcdefg]"))
    }

    @Test func `100-continue is sent before the body is read`() throws {
      let server = try TestServer()
      let client = try server.client()
      try client.request(
        "POST", "/", headers: ["Content-Length: 2", "Expect: 100-continue"])
      #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue")
      try client.send("{}")
      #expect(try client.receiveResponse().body.hasPrefix("POST / ?nil true [{}]"))
    }

    @Test func `an HTTP/1.0 client gets its response and a close`() throws {
      let server = try TestServer()
      let client = try server.client()
      try client.send("GET /old HTTP/1.0\r\n\r\n")
      #expect(try client.receiveToEnd().contains("GET /old ?nil false []"))
    }

    @Test(arguments: [
      ("http://example.com/a?b", "GET /a ?b"), ("http://example.com", "GET  ?nil"),
      ("*", "GET * ?nil"), ("//double", "GET //double ?nil"), ("/a?b?c", "GET /a ?b?c"),
      ("/?", "GET / ?"), ("/http://x", "GET /http://x ?nil"),
    ])
    func `targets in all forms are accepted`(target: String, expected: String) throws {
      let server = try TestServer()
      let client = try server.client()
      try client.request("GET", target)
      #expect(try client.receiveResponse().body.hasPrefix(expected))
    }

    @Test func `a query of many arguments is passed on unchanged`() throws {
      let server = try TestServer()
      let client = try server.client()
      let query = String(repeating: "&", count: 10_000)
      try client.request("GET", "/?\(query)")
      #expect(try client.receiveResponse().body.hasPrefix("GET / ?\(query) "))
    }

    @Test func `bytes that are not UTF-8, and NUL, do not harm the server`() throws {
      let server = try TestServer()
      for target in [[UInt8]("/a".utf8) + [0xFF, 0xC0], [UInt8]("/a".utf8) + [0] + [0x62]] {
        let client = try server.client()
        try client.send(
          [UInt8]("GET ".utf8) + target + [UInt8](" HTTP/1.1\r\nHost: a\r\nOrigin: x".utf8)
            + [0xFE, 0] + [UInt8]("y\r\nConnection: close\r\n\r\n".utf8))
        #expect(try client.receiveToEnd().hasPrefix("HTTP/1.1 "))
      }
      let client = try server.client()
      try client.request("GET", "/after")
      #expect(try client.receiveResponse().status == 200)
    }

    @Test func `a field that would split the response is omitted`() throws {
      let server = try TestServer(
        responder: TestResponder { _, reply in
          var response = HTTPResponse.text("ok")
          response.headers += [
            "X-Evil": "a\r\nX-Injected: 1", "X-Evil\r\nY": "1", "X-Empty": "", "X-Good": "1",
          ]
          reply(response)
        })
      let client = try server.client()
      try client.request("GET", "/")
      let response = try client.receiveResponse()
      #expect(response.body == "ok")
      #expect(response["x-good"] == "1")
      #expect(response["x-evil"] == nil)
      #expect(response["x-injected"] == nil)
    }

    @Test func `an invalid status becomes a 500`() throws {
      let server = try TestServer(
        responder: TestResponder { _, reply in reply(.text("ok", status: 42)) })
      let client = try server.client()
      try client.request("GET", "/")
      #expect(try client.receiveResponse().status == 500)
    }

    @Test(arguments: [1, 2])
    func `two hundred concurrent connections all get their responses`(workers: Int) throws {
      let server = try TestServer(settings: .init(workers: workers))
      let clients = try (0..<200).map { _ in try server.client() }
      for (number, client) in clients.enumerated() { try client.request("GET", "/\(number)") }
      for (number, client) in clients.enumerated() {
        #expect(try client.receiveResponse().body.hasPrefix("GET /\(number) "))
      }
      // The attempt to accept another connection counts for a moment.
      #expect(eventually { server.server.statistics.connections == 200 })
    }
  }
}

/// A credential that a responder has verified.
private final class SampleCredential: VerifiedCredential {
  let name: String

  init(name: String) { self.name = name }
}
