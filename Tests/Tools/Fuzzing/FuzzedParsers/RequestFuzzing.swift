internal import ReactorCoding
internal import ReactorHost
internal import ReactorHTTP
internal import ReactorLog
internal import Reactors
internal import ReactorTransport
internal import Synchronization

/// Sends arbitrary bytes as a request, or a part of one, to a service with the shipped reactors.
///
/// `@epoch` in a target or field is replaced by the epoch of the session `counter/demo`, which a
/// fuzzer could not guess.
enum RequestFuzzing {
  private static let session = "/v1/reactors/counter/sessions/demo"

  /// Parses a request in wire form: request line, header fields, empty line, body.
  static func request(_ bytes: [UInt8]) {
    var lines = bytes[...]
    func nextLine() -> String {
      let end = lines.firstIndex(of: 0x0A) ?? lines.endIndex
      let line = String(decoding: lines[..<end], as: UTF8.self)
      lines = end < lines.endIndex ? lines[(end + 1)...] : []
      return line
    }
    let words = halves(of: nextLine(), at: " ")
    var headers: [(name: HTTPHeader, value: String)] = []
    while !lines.isEmpty {
      let line = nextLine()
      guard !line.isEmpty else { break }
      let field = halves(of: line, at: ":")
      guard let value = field.second,
        let name = HTTPHeader.allCases.first(where: {
          $0.name.description.utf8.elementsEqual(field.first.lowercased().utf8)
        })
      else {
        continue
      }
      headers.append((name, String(Substring(value.utf8.drop { $0 == UInt8(ascii: " ") }))))
    }
    send(words.first, words.second ?? "/", headers, body: lines.isEmpty ? nil : Array(lines))
  }

  /// Divides a text at the first occurrence of a character.
  ///
  /// It compares bytes, so that its own cost does not distort the measurement of the service.
  private static func halves(
    of text: String, at separator: Unicode.Scalar
  ) -> (first: String, second: String?) {
    let parts = text.utf8.split(
      separator: UInt8(ascii: separator), maxSplits: 1, omittingEmptySubsequences: false)
    return (String(Substring(parts[0])), parts.count > 1 ? String(Substring(parts[1])) : nil)
  }

  /// Requests a target with each method.
  static func target(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for method in ["GET", "POST", "PUT", "OPTIONS"] { send(method, text) }
    for address in ["/state", "/log", "/events", ""] { send("GET", session + address + "?" + text) }
    send("GET", "/v1/reactors/counter/sessions?" + text)
    send("GET", "/v1/events?" + text)
  }

  /// The number of header fields that the service reads.
  static let fieldCount = HTTPHeader.allCases.count

  /// The number of resources that accept a body.
  static let resourceCount = 13

  /// Sends the value of one header field; the first byte selects the field.
  static func header(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let all = HTTPHeader.allCases
    let name = all[Int(choice) % all.count]
    let value = String(decoding: bytes.dropFirst(), as: UTF8.self)
    send("GET", session + "/state", [(name, value)])
    send("GET", session + "/events", [(name, value)])
    send("GET", session + "/log", [(name, value)])
    send("OPTIONS", session + "/actions", [(.origin, "http://localhost"), (name, value)])
    send(
      "POST", session + "/actions", [(.contentType, "application/json"), (name, value)],
      body: Array(#""increase""#.utf8))
  }

  /// Sends a body; the first byte selects the resource.
  static func body(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let addresses =
      ["counter", "profile", "weather", "chat", "stopwatch"].map {
        ("POST", "/v1/reactors/\($0)/sessions/demo/actions")
      } + [
        ("POST", "/v1/reactors/counter/sessions"), ("PUT", "/v1/reactors/counter/sessions/put"),
        ("PUT", "/v1/globals/currentUser"),
        ("POST", "/v1/reactors/counter/sessions/demo/signals"),
        ("PUT", "/v1/reactors/auction/sessions/put"), ("POST", "/v1/reactors/auction/sessions"),
        ("POST", "/v1/reactors/lobby/sessions/demo/actions"), ("POST", "/v1/tickets"),
      ]
    let (method, path) = addresses[Int(choice) % addresses.count]
    send(method, path, [(.contentType, "application/json")], body: Array(bytes.dropFirst()))
  }

  // MARK: Service

  /// A service that is replaced after 500 requests, so that sessions do not accumulate.
  private struct Served {
    var api: ReactorAPI
    var remaining = 500

    init() {
      let catalogue = Catalogue(weatherLatency: .zero)
      var settings = ReactorAPI.Settings()
      settings.actionWait = .zero
      // Without threads, each request gets its response at once.
      var hostSettings = HostSettings()
      hostSettings.backgroundThreads = 0
      api = ReactorAPI(
        host: Host(
          catalogue.reactors, globals: catalogue.globals, log: MemoryLog(), settings: hostSettings),
        settings: settings)
    }
  }

  private static let served = Mutex(Served())

  private static func service() -> ReactorAPI {
    served.withLock { served in
      if served.remaining == 0 { served = Served() }
      served.remaining -= 1
      return served.api
    }
  }

  private static func send(
    _ method: String, _ target: String, _ headers: [(name: HTTPHeader, value: String)] = [],
    body: [UInt8]? = nil
  ) {
    let service = service()
    func filled(_ text: String) -> String {
      let (bytes, placeholder) = (Array(text.utf8), Array("@epoch".utf8))
      guard bytes.contains(placeholder) else { return text }
      let epoch = Array(epoch(of: service).utf8)
      return String(decoding: bytes.replacing(placeholder, with: epoch), as: UTF8.self)
    }
    let parts = halves(of: filled(target), at: "?")
    let request = HTTPRequest(
      method: method, path: parts.first, query: parts.second,
      headers: HTTPRequestHeaders(headers.map { ($0.name, filled($0.value)) }), body: body ?? [],
      hasBody: body != nil)
    service.respond(to: request) { check($0, "\(method) \(target)") }
  }

  private static func epoch(of service: ReactorAPI) -> String {
    let epoch = Mutex("")
    service.respond(to: HTTPRequest(method: "GET", path: session + "/state")) { response in
      let tag = response.headers["ETag"] ?? ""
      epoch.withLock { $0 = String(tag.dropFirst().prefix { $0 != "-" }) }
    }
    return epoch.withLock { $0 }
  }

  /// Checks the postconditions of every response.
  private static func check(_ response: HTTPResponse, _ request: String) {
    require((200...599).contains(response.status), "\(response.status) is no status: \(request)")
    require(response.status != 500, "an input is not the server's mistake: \(request)")
    for (name, value) in response.headers {
      require(
        (name + value).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F },
        "a field of the response holds a control character: \(request)")
    }
    switch response.body {
    case .empty: break
    case .bytes(let bytes):
      let type = response.headers["Content-Type"] ?? ""
      guard type.contains("json"), !type.contains("ndjson") else { return }
      require((try? JSONDocument(parsing: bytes)) != nil, "the body is no JSON: \(request)")
    case .stream(let stream):
      for _ in 0..<8 {
        guard case .chunk(let chunk) = stream.next() else { break }
        require(!chunk.payload.isEmpty, "an empty chunk would end the stream: \(request)")
      }
      stream.closed()
    }
  }
}
