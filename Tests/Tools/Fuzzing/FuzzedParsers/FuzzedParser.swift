/// A parser of network or operator input as a function of arbitrary bytes.
///
/// `make fuzz` feeds each parser from libFuzzer, `make test` from the committed corpus. A run traps
/// if the parser traps or violates a postcondition.
public enum FuzzedParser: String, CaseIterable, Sendable {
  /// The JSON parser and the accessors of its documents.
  case json

  /// JSON decoded as enums and structs of every form.
  case actions

  /// JSON pointers and their evaluation.
  case pointer

  /// Patches between two documents.
  case patch

  /// Cursors.
  case cursor

  /// The bytes of a connection, and the replacement of repeated heads.
  case connection

  /// Whole requests: request line, header fields, body.
  case request

  /// The path and query of a request target.
  case target

  /// The value of each header field that the service reads.
  case headers

  /// Bodies, for each resource that accepts one.
  case bodies

  /// The configuration file, flags and environment.
  case configuration

  /// JSON Web Tokens and tickets, unsigned and signed.
  case tokens

  /// Files of keys.
  case keys

  /// Patterns of sessions, `auth.rules` and token files.
  case rules

  /// The events that the Swift client reads.
  case events

  /// The responses that the Swift client reads.
  case responses

  /// Messages between the nodes of a cluster.
  case cluster

  /// The bytes of a connection between two nodes: encrypted, and the frames in them.
  case links

  /// Parses `bytes` and checks the postconditions.
  public func run(_ bytes: [UInt8]) {
    switch self {
    case .json: JSONFuzzing.parse(bytes)
    case .actions: JSONFuzzing.decode(bytes)
    case .pointer: PointerFuzzing.run(bytes)
    case .patch: PatchFuzzing.run(bytes)
    case .cursor: CursorFuzzing.run(bytes)
    case .connection: ConnectionFuzzing.run(bytes)
    case .request: RequestFuzzing.request(bytes)
    case .target: RequestFuzzing.target(bytes)
    case .headers: RequestFuzzing.header(bytes)
    case .bodies: RequestFuzzing.body(bytes)
    case .configuration: ConfigurationFuzzing.run(bytes)
    case .tokens: IdentityFuzzing.token(bytes)
    case .keys: IdentityFuzzing.keys(bytes)
    case .rules: IdentityFuzzing.rules(bytes)
    case .events: ClientFuzzing.events(bytes)
    case .responses: ClientFuzzing.response(bytes)
    case .cluster: ClusterFuzzing.run(bytes)
    case .links: ClusterFuzzing.links(bytes)
    }
  }
}

extension FuzzedParser {
  /// Parses `bytes` without checking postconditions, which can take longer than the parser.
  public func parse(_ bytes: [UInt8]) {
    switch self {
    case .json: JSONFuzzing.parseOnly(bytes)
    case .actions: JSONFuzzing.decodeOnly(bytes)
    case .patch: PatchFuzzing.compareOnly(bytes)
    case .connection: ConnectionFuzzing.scanOnly(bytes)
    case .events: ClientFuzzing.eventsOnly(bytes)
    case .responses: ClientFuzzing.responseOnly(bytes)
    case .links: ClusterFuzzing.framesOnly(bytes)
    case .pointer, .cursor, .request, .target, .headers, .bodies, .configuration, .tokens, .keys,
      .rules, .cluster:
      run(bytes)
    }
  }

  /// The sizes of input whose cost is checked: from 1 KB to 1 MB, or to the bound of
  /// a head for fields and targets.
  public var costSizes: [Int] {
    switch self {
    case .cursor, .request, .target, .headers, .tokens, .keys, .rules, .responses: [1_024, 20_000]
    case .json, .actions, .pointer, .patch, .connection, .bodies, .configuration, .events, .cluster,
      .links:
      [1_024, 65_536, 1_048_576]
    }
  }

  /// The number of times that one call of ``parse(_:)`` parses its input.
  public var passes: Int {
    switch self {
    case .json, .pointer, .patch, .cursor, .request, .bodies, .keys, .events, .responses, .links: 1
    case .rules: 3
    case .connection: ConnectionFuzzing.repetition
    case .tokens: 5
    case .configuration: 5
    case .headers: 5
    case .actions: 6
    case .target, .cluster: 10
    }
  }
}

/// Traps if a postcondition is violated, in optimised builds too.
func require(_ condition: Bool, _ reason: @autoclosure () -> String) {
  if !condition { fatalError(reason()) }
}
