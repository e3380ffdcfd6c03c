/// Optional kinds of events, which the server sends on a stream only if the client requests them.
package struct StreamTopics: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The subscribers of the sessions.
  package static let presence = StreamTopics(rawValue: 1)

  /// The signals of the sessions.
  package static let signals = StreamTopics(rawValue: 2)

  /// The query parameters of the stream, each preceded by `&`.
  var query: String {
    (contains(.presence) ? "&presence=true" : "") + (contains(.signals) ? "&signals=true" : "")
  }
}
