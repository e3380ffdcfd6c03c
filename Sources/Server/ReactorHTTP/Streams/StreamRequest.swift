internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The parameters of a request for a stream.
struct StreamRequest {
  let view: StreamView

  /// The selected parts: one for all sessions, or one per session in their order.
  private let selections: [Selection]

  /// The names of signals, in the order of the sessions.
  private let names: [String]

  /// Whether every version is sent, without conflation.
  let wantsEveryVersion: Bool

  /// The events that are sent in addition to States.
  let notices: StreamNotices.Kinds

  /// The positions in the id of the client's last event; the header field wins over the parameter.
  let lastEventID: LastEventID

  private let isDatastar: Bool

  /// Parses a request.
  ///
  /// - Parameters:
  ///   - query: The query of the request.
  ///   - request: The request.
  ///   - hasOneSource: Whether the stream is that of one session or global, not of several.
  /// - Throws: The problem of an invalid parameter.
  init(_ query: Query, _ request: HTTPRequest, ofOne hasOneSource: Bool) throws(Problem) {
    let format = try StreamView.Format(query, request)
    names = try SignalNames.read(query, for: format)
    selections = try query.pointers("select", orWord: "none").map(Selection.init)
    if hasOneSource, selections.count > 1 { throw .repeated(parameter: "select") }
    if hasOneSource, names.count > 1 { throw .repeated(parameter: "into") }
    var view = StreamView(format: format, name: names.first)
    selections.first?.apply(to: &view)
    self.view = view
    wantsEveryVersion = try query.choice("replay", "all")
    guard !wantsEveryVersion || selections.allSatisfy(\.sendsStates) else {
      throw .invalid(
        parameter: "replay",
        "The parameters select=none and replay=all exclude each other: send one of them.")
    }
    notices = try StreamNotices.Kinds(query)
    lastEventID = LastEventID(LastEventID.text(of: request, query))
    isDatastar = format == .signals
  }

  /// Returns the views of a stream of several sessions, in the order of the sessions.
  ///
  /// The signals of each session have a name: from `into`, or by default `s` and the position of
  /// the session.
  func views(of count: Int) throws(Problem) -> [StreamView] {
    guard selections.count < 2 || selections.count == count else {
      throw .invalid(
        parameter: "select",
        "The parameter select takes: one part for all sessions, or one for each, in their order.")
    }
    guard !isDatastar || names.isEmpty || names.count == count, Set(names).count == names.count
    else {
      throw SignalNames.invalid("one name for each session, in their order, without repetitions")
    }
    return (0..<count).map { index in
      var view = view
      if selections.count > 1 { selections[index].apply(to: &view) }
      if isDatastar { view.name = names.isEmpty ? "s\(index + 1)" : names[index] }
      return view
    }
  }
}

/// A value of `select`.
private struct Selection {
  /// The part, or `nil` for none.
  let pointer: JSONPointer?

  var sendsStates: Bool { pointer != nil }

  func apply(to view: inout StreamView) {
    // All streams of whole States share their events.
    view.pointer = pointer == .root ? nil : pointer
    view.sendsStates = sendsStates
  }
}

extension StreamNotices.Kinds {
  /// Parses the parameters that request events in addition to States.
  fileprivate init(_ query: Query) throws(Problem) {
    self = []
    if try query.flag("activity") { insert(.activity) }
    if try query.flag("presence") { insert(.presence) }
    if try query.flag("signals") { insert(.signals) }
  }
}

extension StreamView.Format {
  /// Parses the parameters that choose the data of events: at most one of them can be used.
  ///
  /// Without any of them, the field `Datastar-Request: true` selects signals.
  fileprivate init(_ query: Query, _ request: HTTPRequest) throws(Problem) {
    let delta = try query.choice("delta", of: ["patch", "merge"])
    let format = try query.choice("format", of: ["datastar"])
    let old = try query.flag("old")
    guard [delta != nil, format != nil, old].count(where: { $0 }) < 2 else {
      throw .invalid(
        parameter: format == nil ? "old" : "format",
        "The parameters delta, format and old exclude each other. Send one of them.")
    }
    self =
      switch (delta, format) {
      case ("patch", _): .patches
      case ("merge", _): .merges
      case (_, "datastar"): .signals
      default: old ? .changes : request[header: .datastarRequest] == "true" ? .signals : .states
      }
  }
}

/// The parameter `into`: the names of the signals that contain States.
private enum SignalNames {
  static func read(
    _ query: Query, for format: StreamView.Format
  ) throws(Problem) -> [String] {
    let names = query.all("into")
    guard names.allSatisfy(isValid) else {
      throw invalid("1 to 128 letters, digits and _, without __")
    }
    guard names.isEmpty || format == .signals else {
      throw .invalid(
        parameter: "into", "The parameter into names signals: send format=datastar as well.")
    }
    return names
  }

  /// Whether a text is one name: Datastar reads `.` as a path and `__` as a modifier.
  private static func isValid(_ name: String) -> Bool {
    let name = name.utf8
    let isWord = name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    let repeats = zip(name, name.dropFirst()).contains { $0 == UInt8(ascii: "_") && $1 == $0 }
    return (1...128).contains(name.count) && isWord && !repeats
  }

  static func invalid(_ expected: String) -> Problem {
    .invalid(parameter: "into", "The parameter into takes: \(expected).")
  }
}

/// A client's position in a history when it disconnected.
enum StreamPosition: Equatable {
  /// The client is new.
  case beginning

  /// The client has everything up to this cursor.
  case cursor(Cursor)

  /// The client sent something that is not a cursor.
  case unknown

  /// Returns the position from which the client can continue.
  ///
  /// The document of a client that was connected to another release may be of other types: no patch
  /// is sent for it.
  func resumable(in source: any StateSource, _ view: StreamView) -> StreamPosition {
    guard view.sendsDifferences, case .cursor(let cursor) = self,
      cursor.version <= source.formerVersion, cursor.epoch == source.current.cursor.epoch
    else { return self }
    return .unknown
  }

  /// Returns the client's version in the history of a State, or `nil` if the position is in another
  /// history or ahead of the State.
  func version(of current: CommittedState) -> Int? {
    guard case .cursor(let cursor) = self, cursor.epoch == current.cursor.epoch,
      cursor.version <= current.version
    else { return nil }
    return cursor.version
  }

  /// Whether the client can have a State that the source does not have yet: then the source must
  /// confirm its own State before the client is reset.
  func isBeyond(_ current: CommittedState) -> Bool {
    if case .cursor = self { version(of: current) == nil } else { false }
  }
}
