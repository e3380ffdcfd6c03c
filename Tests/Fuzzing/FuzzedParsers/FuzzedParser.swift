/// A parser that faces the network (or the operator), as something that takes any bytes.
///
/// `make fuzz` feeds each with what libFuzzer makes up, `make test` with the corpus of what was found.
/// A run must come back: it traps where the parser does, and where what must hold afterwards does not.
public enum FuzzedParser: String, CaseIterable, Sendable {
  /// The JSON parser, and the values that are read from its documents.
  case json

  /// JSON decoded as enums and structs of every form.
  case actions

  /// JSON pointers, and what they name in a document.
  case pointer

  /// Patches between documents.
  case patch

  /// Cursors.
  case cursor

  /// Whole requests: a request line, header fields, a body.
  case request

  /// The path and the query of an address.
  case target

  /// The value of each header field that the service reads.
  case headers

  /// Bodies, for each address that takes one.
  case bodies

  /// The configuration file, flags and environment.
  case configuration

  /// Gives the parser bytes.
  public func run(_ bytes: [UInt8]) {
    switch self {
    case .json: JSONFuzzing.parse(bytes)
    case .actions: JSONFuzzing.decode(bytes)
    case .pointer: PointerFuzzing.run(bytes)
    case .patch: PatchFuzzing.run(bytes)
    case .cursor: CursorFuzzing.run(bytes)
    case .request: RequestFuzzing.request(bytes)
    case .target: RequestFuzzing.target(bytes)
    case .headers: RequestFuzzing.header(bytes)
    case .bodies: RequestFuzzing.body(bytes)
    case .configuration: ConfigurationFuzzing.run(bytes)
    }
  }
}

/// Traps, also in an optimised build, where what must hold does not.
func require(_ condition: Bool, _ reason: @autoclosure () -> String) {
  if !condition { fatalError(reason()) }
}
