extension AbusiveClient {
  private static let state = "/v1/reactors/counter/sessions/abused/state"

  /// Texts that are slow to compare, in each part of a request.
  static let texts: [AbusiveClient] = [
    .get("marks-in-accept", state, fields: "Accept: \(Hostile.marks(14_000))\r\n"),
    .get(
      "forwarding-fields", state,
      fields: "X-Forwarded-For: \(Hostile.repeated(":,", 7_500))\r\n",
      flags: ["--http-proxies", "127.0.0.0/8"]),
    .get("marks-in-prefer", state, fields: "Prefer: \(Hostile.marks(14_000))\r\n"),
    .get(
      "marks-in-if-none-match", state, fields: "If-None-Match: \"\(Hostile.marks(14_000))\"\r\n"),
    .get("marks-in-origin", state, fields: "Origin: http://\(Hostile.marks(14_000))\r\n"),
    .get("marks-in-token", state, fields: "Authorization: Bearer \(Hostile.marks(14_000))\r\n"),
    .get(
      "marks-in-forwarded", state,
      fields:
        "Forwarded: for=\(Hostile.marks(7_000))\r\nX-Forwarded-For: \(Hostile.marks(6_000))\r\n"),
    .get("marks-in-path", "/v1/reactors/\(Hostile.escapedMarks(14_000))", expects: [404]),
    .get(
      "marks-in-session", "/v1/reactors/counter/sessions/\(Hostile.escapedMarks(14_000))/state",
      expects: [400]),
    .get(
      "marks-in-query", "/v1/events?session=counter/\(Hostile.escapedMarks(14_000))",
      expects: [400]),
    .get("marks-in-after", "/v1/reactors/counter/sessions?after=\(Hostile.escapedMarks(14_000))"),
    .get(
      "marks-in-pointer", state + "?select=/\(Hostile.escapedMarks(14_000))", expects: [404]),
    .action("marks-as-case", to: "counter") { #""\#(Hostile.marks(200_000))""# },
    .action("marks-as-key", to: "counter") { #"{"\#(Hostile.marks(200_000))":1}"# },
    .action("marks-as-label", to: "chat") {
      #"{"send":{"from":"a","\#(Hostile.marks(200_000))":"b"}}"#
    },
    .action("marks-as-member", to: "chat", prepare: [#"{"join":"a"}"#]) {
      #"{"join":"\#(Hostile.marks(200_000))"}"#
    },
    .action("marks-as-text", to: "chat", prepare: [#"{"join":"a"}"#]) {
      #"{"send":{"from":"a","text":"\#(Hostile.marks(200_000))"}}"#
    },
    .action("marks-as-search", to: "weather") { #"{"search":"\#(Hostile.marks(200_000))"}"# },
  ]

  /// JSON that is slow to parse or large when decoded.
  static let documents: [AbusiveClient] = [
    .action("deep-arrays", to: "counter", expects: [400]) { Hostile.repeated("[", 500_000) },
    .action("deep-objects", to: "counter", expects: [400]) { Hostile.repeated(#"{"a":"#, 200_000) },
    .action("wide-array", to: "counter") { Hostile.array("1", 500_000) },
    .action("many-keys", to: "counter") {
      "{" + (0..<60_000).map { #""k\#($0)":1"# }.joined(separator: ",") + "}"
    },
    .action("one-key-many-times", to: "chat") {
      #"{"send":{"# + Hostile.repeated(#""from":"a","#, 80_000) + #""text":"b"}}"#
    },
    .action("long-number", to: "counter") { #"{"add":\#(Hostile.repeated("7", 1_000_000))}"# },
    .action("long-exponent", to: "counter") { #"{"add":1e\#(Hostile.repeated("9", 1_000_000))}"# },
    .action("long-string", to: "weather") { #"{"search":"\#(Hostile.repeated("a", 1_000_000))"}"# },
    .action("escapes", to: "weather") {
      #"{"search":"\#(Hostile.repeated(#"\u0041"#, 150_000))"}"#
    },
    .action("20000-increases", to: "counter") { Hostile.array(#""increase""#, 20_000) },
    .action("20000-joins", to: "chat") {
      "[" + (0..<20_000).map { #"{"join":"m\#($0)"}"# }.joined(separator: ",") + "]"
    },
    .action("20000-searches", to: "weather") { Hostile.array(#"{"search":"Oslo"}"#, 20_000) },
    .action("oversized-body", to: "counter", expects: [413]) { Hostile.repeated(" ", 8_000_000) },
  ]
}
