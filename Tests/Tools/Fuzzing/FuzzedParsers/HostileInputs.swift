/// Generates inputs that take more than linear time in a parser with a quadratic path.
public struct HostileInput: Sendable, CustomStringConvertible {
  /// The name of the shape.
  public let description: String

  /// Returns an input of about this many bytes.
  public let bytes: @Sendable (_ count: Int) -> [UInt8]

  private init(_ description: String, _ text: @escaping @Sendable (_ count: Int) -> String) {
    self.description = description
    bytes = { Array(text($0).utf8) }
  }

  /// The inputs for a parser.
  public static func all(for parser: FuzzedParser) -> [HostileInput] {
    switch parser {
    case .json: json
    case .actions: json + actions
    case .pointer: pointers
    case .patch: patches
    case .cursor: texts.map { $0.map { "\($0)" } } + texts.map { $0.map { "7hq2-\($0)" } }
    case .connection: connections
    case .request: requests
    case .target: targets
    case .headers: headers
    case .bodies: bodies
    case .configuration, .tokens, .keys: json
    case .rules: json + patterns
    case .events: events
    case .responses: responses
    case .cluster: messages
    case .links: frames
    }
  }

  private static let patterns = [
    HostileInput("many placeholders") { String(repeating: "{a}", count: $0 / 3) + "/x" },
    HostileInput("open braces") { String(repeating: "{", count: $0) },
    HostileInput("many lines") {
      String(repeating: "a-token-of-16-characters read\n", count: $0 / 30)
    },
  ]

  // MARK: Clients and nodes

  private static let events =
    texts.map { $0.map { "data: \($0)\n\n" }.named("data") }
    + texts.map { $0.map { "\($0): 1\n\n" }.named("field") }
    + texts.map { $0.map { "event: \($0)\nid: \($0)\ndata: 1\n\n" }.named("name and id") }
    + [
      HostileInput("many lines") { repeated("data: 1\n", $0) + "\n" },
      HostileInput("many events") { repeated("data: 1\n\n", $0) },
      HostileInput("comments") { repeated(":\n", $0) },
      HostileInput("no line") { repeated("data", $0) },
      HostileInput("composite ids") {
        "id: " + repeated("4w9xd.k3x9q2-17~", $0) + "\ndata: 1\n\n"
      },
    ]

  private static let responses =
    texts.map { $0.map { "HTTP/1.1 200 OK\r\n\($0): \($0)\r\n\r\n" }.named("field") }
    + texts.map { $0.map { "HTTP/1.1 200 OK\r\nETag: \"\($0)-1\"\r\n\r\n" }.named("tag") }
    + [
      HostileInput("many fields") { "HTTP/1.1 200 OK\r\n" + repeated("a: b\r\n", $0) + "\r\n" },
      HostileInput("interim responses") { repeated("HTTP/1.1 103 Early Hints\r\n\r\n", $0) },
    ]

  /// Messages with lists, long texts, and a count without the elements of its list.
  private static let frames = [
    HostileInput(bytes: "empty frames") { count in
      (0..<count / 13).flatMap { _ in [0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0] as [UInt8] }
    },
    HostileInput(bytes: "a frame that never ends") { count in
      [3, 0xFF, 0xFF, 0xFF, 6] + [UInt8](repeating: 0, count: count)
    },
  ]

  private static let messages = [
    HostileInput(bytes: "a list of one-byte texts") { count in
      Message([6, 1]).list(count / 10) { $0.text("a").bytes([0]) }.content
    },
    HostileInput(bytes: "streams without a name") { count in
      Message([7]).key().list(count / 9) { $0.bytes([0]).number(1) }.node().content
    },
    HostileInput(bytes: "fingerprints") { count in
      Message([1]).node().bytes([1, 1, 1]).number(0)
        .list(count / 24) { $0.text("counter").number(1) }.content
    },
    HostileInput(bytes: "entries") { count in
      Message([11]).list(count / 30) {
        $0.number(1).number(1).bytes([0, 0]).text("1").bytes([0])
      }.content
    },
    HostileInput(bytes: "a count without elements") { count in
      Message([9, 1]).number(count).bytes([UInt8](repeating: 0, count: count)).content
    },
    HostileInput(bytes: "a long text") { Message([9]).text(repeated("a", $0)).content },
  ]

  /// Writes a message between nodes.
  private struct Message {
    private(set) var content: [UInt8]

    init(_ content: [UInt8]) { self.content = content }

    func bytes(_ bytes: [UInt8]) -> Message { Message(content + bytes) }

    func number(_ value: Int) -> Message {
      bytes((0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    func text(_ text: String) -> Message { number(text.utf8.count).bytes(Array(text.utf8)) }

    func node() -> Message { text("a").number(7) }

    func key() -> Message { text("counter").text("demo") }

    func list(_ count: Int, _ element: (Message) -> Message) -> Message {
      var list = number(count).content
      for _ in 0..<count { list += element(Message([])).content }
      return Message(list)
    }
  }

  private init(bytes description: String, _ bytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
    self.description = description
    self.bytes = bytes
  }

  private func map(_ wrap: @escaping @Sendable (_ text: String) -> String) -> HostileInput {
    HostileInput(description) { [bytes] in wrap(String(decoding: bytes($0), as: UTF8.self)) }
  }

  private func named(_ name: String) -> HostileInput {
    HostileInput("\(description) \(name)") { [bytes] in String(decoding: bytes($0), as: UTF8.self) }
  }

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: max(1, count / text.utf8.count))
  }

  // MARK: Texts

  private static let texts = [
    HostileInput("letters") { repeated("a", $0) },
    HostileInput("digits") { repeated("7", $0) },
    HostileInput("combining marks") { "a" + repeated("\u{301}\u{316}", $0) },
    HostileInput("marks that starters decompose into") { "a" + repeated("\u{F73}", $0) },
    HostileInput("Hangul") { repeated("\u{1112}\u{1161}\u{11AB}", $0) },
    HostileInput("joined emoji") { repeated("\u{1F469}\u{200D}", $0) },
    HostileInput("regional indicators") { repeated("\u{1F1E6}", $0) },
    HostileInput("white space") { repeated(" \u{3000}", $0) },
  ]

  // MARK: JSON

  private static let json =
    texts.map { $0.map { #""\#($0)""# }.named("string") }
    + texts.map { $0.map { #"{"\#($0)":1}"# }.named("name") }
    + texts.map { $0.map { #"{"a":1,"\#($0)":1,"\#($0)b":2}"# }.named("names") }
    + [
      HostileInput("nested arrays") { repeated("[", $0 / 2) + repeated("]", $0 / 2) },
      HostileInput("nested arrays at the limit") { count in
        String(repeating: "[", count: 500) + repeated("1,", count) + "1"
          + String(repeating: "]", count: 500)
      },
      HostileInput("nested objects") { #"{"a":"#.repeated(500) + "1" + "}".repeated($0 - 500) },
      HostileInput("nested objects at the limit") {
        #"{"a":"#.repeated(500) + "[" + repeated("1,", $0) + "1]" + "}".repeated(500)
      },
      HostileInput("wide array") { "[" + repeated("1,", $0) + "1]" },
      HostileInput("array of empty objects") { "[" + repeated("{},", $0) + "{}]" },
      HostileInput("array of small objects") { "[" + repeated(#"{"b":1,"a":2},"#, $0) + "{}]" },
      HostileInput("many members") { count in
        "{" + (0..<max(1, count / 12)).map { #""k\#($0)":1"# }.joined(separator: ",") + "}"
      },
      HostileInput("one name many times") { "{" + repeated(#""a":1,"#, $0) + #""a":1}"# },
      HostileInput("long number") { repeated("7", $0) },
      HostileInput("long fraction") { "0." + repeated("7", $0) },
      HostileInput("long exponent") { "1e" + repeated("9", $0) },
      HostileInput("long negative exponent") { "1" + repeated("0", $0) + "e-" + "\($0)" },
      HostileInput("many numbers") { "[" + repeated("1.7976931348623157e308,", $0) + "1]" },
      HostileInput("escapes") { "\"" + repeated(#"\u0041"#, $0) + "\"" },
      HostileInput("escaped combining marks") { "{\"a" + repeated(#"\u0301\u0316"#, $0) + "\":1}" },
      HostileInput("surrogate pairs") { "\"" + repeated(#"\ud83d\ude00"#, $0) + "\"" },
      HostileInput("white space") { repeated(" \n", $0) + "1" },
      HostileInput("open strings") { repeated("\"\\", $0) },
    ]

  private static let actions =
    texts.map { $0.map { #"{"text":"\#($0)"}"# }.named("value") }
    + texts.map { $0.map { #"{"table":{"\#($0)":[]}}"# }.named("dictionary key") }
    + texts.map { $0.map { #"{"labelled":{"x":1,"\#($0)":2}}"# }.named("label") }
    + [
      HostileInput("nested cases") { #"{"nested":"#.repeated(400) + text($0) + "}".repeated(400) },
      HostileInput("list of integers") { #"{"list":["# + repeated("1,", $0) + "1]}" },
      HostileInput("dictionary of lists") { count in
        #"{"table":{"#
          + (0..<max(1, count / 16)).map { #""k\#($0)":["b"]"# }.joined(separator: ",") + "}}"
      },
      HostileInput("array of dictionaries") {
        "[" + repeated(#"{"table":{"b":[],"a":[]}},"#, $0) + #""plain"]"#
      },
      HostileInput("array of cases") { "[" + repeated(#""plain","#, $0) + #""plain"]"# },
      HostileInput("array of objects") {
        "[" + repeated(#"{"object":{"name":"a","count":1}},"#, $0) + #""plain"]"#
      },
      HostileInput("list of raw values") {
        #"{"object":{"name":"","letters":["# + repeated("1,2,", $0) + "1]}}"
      },
    ]

  /// A payload with a member named like a label.
  private static func text(_ count: Int) -> String {
    #"{"table":{"_0":[""# + repeated("a", count) + #""]}}"#
  }

  // MARK: Pointers and patches

  private static let pointers =
    texts.map { $0.map { "/\($0)\n{\"a\":1}" } }
    + texts.map { $0.map { "/0\($0)\n[1]" }.named("position") }
    + [
      HostileInput("tokens") { repeated("/0", $0 / 2) + "\n" + repeated("[", $0 / 2) },
      HostileInput("escapes") { "/" + repeated("~1~0", $0) + "\n1" },
      HostileInput("deep value") {
        "/0".repeated(500) + "\n" + "[".repeated(500) + repeated("1,", $0) + "1" + "]".repeated(500)
      },
      HostileInput("wide value") { "/\($0 / 4)\n[" + repeated("1,", $0) + "1]" },
    ]

  private static let patches =
    json.map { $0.map { "\($0)\n[\($0)]" }.named("nested") }
    + [
      HostileInput("long path to many members") { count in
        let name = repeated("n", count / 4)
        func object(_ value: Int) -> String {
          #"{"\#(name)":{"#
            + (0..<max(1, count / 40)).map { #""k\#($0)":\#(value)"# }.joined(separator: ",") + "}}"
        }
        return object(1) + "\n" + object(2)
      },
      HostileInput("paths in each of many levels") { count in
        func object(_ value: Int) -> String {
          #"{"name":"#.repeated(100) + "[" + repeated("\(value),", count / 3) + "1]"
            + "}".repeated(100)
        }
        return object(1) + "\n" + object(2)
      },
      HostileInput("lists without a common element") {
        "[" + repeated("1,", $0 / 2) + "0]\n[" + repeated("2,", $0 / 2) + "0]"
      },
      HostileInput("lists that alternate") {
        "[" + repeated("1,2,", $0 / 2) + "0]\n[" + repeated("2,3,", $0 / 2) + "0]"
      },
      HostileInput("members in reverse order") { count in
        let names = (0..<max(1, count / 24)).map { #""k\#($0)":1"# }
        return "{" + names.joined(separator: ",") + "}\n{" + names.reversed().joined(separator: ",")
          + "}"
      },
    ]
    + texts.map { $0.map { "{\"\($0)\":1,\"b\":1}\n{\"b\":2,\"\($0)\":2}" }.named("names") }

  // MARK: Requests

  private static let targets =
    texts.map { $0.map { "/v1/reactors/counter/sessions/\($0)/state" }.named("session") }
    + texts.map { $0.map { "/v1/reactors/\($0)" }.named("reactor") }
    + texts.map { $0.map { "after=\($0)&limit=\($0)" }.named("query") }
    + texts.map { $0.map { "select=/\($0)" }.named("pointer") }
    + [
      HostileInput("slashes") { repeated("/", $0) },
      HostileInput("percent escapes") { "/v1/reactors/" + repeated("%CC%81", $0) },
      HostileInput("escaped slashes") { "/" + repeated("%2F", $0) },
      HostileInput("parameters") { "/?" + repeated("a=b&", $0) },
      HostileInput("one parameter many times") { repeated("session=counter/demo&", $0) },
      HostileInput("pointers") { repeated("select=/value&", $0) },
    ]

  /// Requests of a connection: one of about this many bytes, or a short one many times, whole or in
  /// parts.
  private static let connections = [
    HostileInput("many requests") {
      "@\0" + repeated("GET / HTTP/1.1\r\nHost: a\r\n\r\n", $0)
    },
    HostileInput("repeated requests") {
      String(repeating: "@", count: $0) + "\0GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    },
    HostileInput("alternating requests") {
      repeated("@A", $0) + "\0GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        + "\0PUT / HTTP/1.1\r\nHost: a\r\n\r\n"
    },
    HostileInput("requests in one part") {
      String(repeating: "D", count: $0) + "\0GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    },
    HostileInput("many fields") { "@\0GET / HTTP/1.1\r\n" + repeated("a:\r\n", $0) },
    HostileInput("many cookies") { "@\0GET / HTTP/1.1\r\nCookie: " + repeated("a;", $0) },
    HostileInput("empty lines") { "@\0" + repeated("\r\n", $0) },
    HostileInput("single bytes") { repeated("@A", $0) + "\0\r\0\n" },
    HostileInput("long body") {
      "@\0POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n" + repeated("a", $0)
    },
    HostileInput("small chunks") {
      "@\0POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        + repeated("1\r\na\r\n", $0)
    },
  ]

  private static let requests =
    texts.map { $0.map { "GET /v1/reactors/\($0) HTTP/1.1\nAccept: \($0)\n\n" } }
    + [
      HostileInput("many fields") { "GET / HTTP/1.1\n" + repeated("Accept: a/b\n", $0) + "\n" },
      HostileInput("many unknown fields") { "GET / HTTP/1.1\n" + repeated("x-y: z\n", $0) + "\n" },
    ]

  /// Each field with each value; the first byte selects the field.
  private static let headers: [HostileInput] = {
    let values =
      texts + [
        HostileInput("list") { repeated("a/b;q=0.5,", $0) },
        HostileInput("parameters") { "a/b" + repeated(";q=1", $0) },
        HostileInput("quotes") { repeated("\"\\", $0) },
        HostileInput("tags") { repeated("\"7hq2-1\", ", $0) },
        HostileInput("commas") { repeated(",", $0) },
        HostileInput("addresses") { repeated("for=\"[::1]:80\";by=_x, ", $0) },
        HostileInput("dots") { repeated("1.2.", $0) },
      ]
    return (0..<RequestFuzzing.fieldCount).flatMap { field in
      values.map { value in
        value.map { "\(Unicode.Scalar(UInt8(field)))\($0)" }.named("in field \(field)")
      }
    }
  }()

  /// Each resource with each body; the first byte selects the resource.
  private static let bodies: [HostileInput] = {
    let payloads = texts.flatMap { text in
      [
        text.map { #"{"join":"\#($0)"}"# }.named("to join"),
        text.map { #"{"send":{"from":"\#($0)","text":"\#($0)"}}"# }.named("to send"),
        text.map { #"{"search":"\#($0)"}"# }.named("to search"),
        text.map { #"{"name":"\#($0)"}"# }.named("as user"),
      ]
    }
    return (0..<RequestFuzzing.resourceCount).flatMap { resource in
      (payloads + (resource == 0 ? json : [])).map { shape in
        shape.map { "\(Unicode.Scalar(UInt8(resource)))\($0)" }.named("to resource \(resource)")
      }
    }
  }()
}

extension String {
  fileprivate func repeated(_ count: Int) -> String {
    String(repeating: self, count: max(0, count))
  }
}
