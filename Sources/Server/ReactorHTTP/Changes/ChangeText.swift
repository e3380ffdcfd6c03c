internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog

/// Encodes changes as JSON.
struct ChangeText: Sendable {
  let host: Host
  let content: ChangeFilter.Content?

  private static let damage =
    "The store has no valid change with this id. The log of the service names the row."

  /// The maximum number of changes that are encoded before other clients get their turn: each State
  /// can need a fold of a thousand mutations.
  var bound: Int { content == .state ? 32 : .max }

  /// Encodes a change, with its id as the first member unless it is `nil`.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - id: The id.
  ///   - part: The change as the client sees it.
  /// - Returns: The JSON.
  /// - Throws: If the log cannot be read.
  func json(
    _ change: StoreChange, id: ChangeID?, showing part: ChangeViews.Part
  ) throws(LogError) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(256)
    text += (id.map { #"{"id":"\#($0)","kind":""# } ?? #"{"kind":""#).utf8
    switch change.kind {
    case .began: text += #"began""#.utf8
    case .changed: text += #"changed""#.utf8
    case .ended: text += #"ended""#.utf8
    case .global(let name):
      text += #"global","name":"#.utf8
      text += JSONValue.string(name).bytes
    case .damaged:
      text += #"damaged","detail":"\#(Self.damage)"}"#.utf8
      return text
    }
    // Names of reactors and ids consist of characters that need no escapes.
    if let key = change.key {
      text += #","reactor":"\#(key.reactor)","session":"\#(key.id)""#.utf8
    }
    text += #","cursor":"\#(change.cursor)""#.utf8
    switch change.kind {
    case .began(let origin?):
      text += #","forkedFrom":{"session":"\#(origin.session)","version":\#(origin.version)}"#.utf8
    case .changed(let from): text += #","from":\#(from),"to":\#(change.cursor.version)"#.utf8
    case .began(nil), .ended, .global, .damaged: break
    }
    text += #","at":""#.utf8
    change.at.write(to: &text)
    text.append(UInt8(ascii: "\""))
    if let by = change.by, part.shows(by) {
      text += #","by":"#.utf8
      text += JSONValue.string(by).bytes
    }
    try append(contentOf: change, showing: part, to: &text)
    text.append(UInt8(ascii: "}"))
    return text
  }

  /// Appends the requested content; nothing if it is no longer retained.
  private func append(
    contentOf change: StoreChange, showing part: ChangeViews.Part, to text: inout [UInt8]
  ) throws(LogError) {
    switch content {
    case nil: return
    case .state:
      guard let state = part.view?.json else { return }
      text += #","state":"#.utf8
      text += state
    case .entries:
      guard part.isComplete, let entries = try host.entries(of: change) else { return }
      text += #","entries":"#.utf8
      text += (try? JSONCoder.encode(entries.map { LogEndpoints.Entry(entry: $0) })) ?? []
    }
  }
}
