internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The value of `If-Match` or `If-None-Match` (RFC 9110, 13.1).
enum EntityTags {
  case any
  /// The tags without their quotes.
  case tags([(tag: Substring, isWeak: Bool)])

  /// Parses a field of a request, or returns `nil` if it is absent.
  init?(of request: HTTPRequest, in header: HTTPHeader, name: String) throws(Problem) {
    guard let field = request[header: header] else { return nil }
    try self.init(field, name: name)
  }

  /// Parses the value of a field.
  init(_ field: String, name: String) throws(Problem) {
    let text = field.trimmingSpaces()
    guard text != "*" else {
      self = .any
      return
    }
    var tags: [(Substring, Bool)] = []
    var rest = text
    while true {
      rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
      guard !rest.isEmpty else { break }
      let isWeak = rest.hasPrefix("W/")
      if isWeak { rest = rest.dropFirst(2) }
      guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else {
        throw Problem(
          .invalidParameter,
          "The field \(name) takes * or entity tags in quotes, such as \"k3x9q2-17\".",
          members: [.init("parameter", .string(name))])
      }
      tags.append((rest[rest.index(after: rest.startIndex)..<end], isWeak))
      rest = rest[rest.index(after: end)...]
    }
    self = .tags(tags)
  }

  /// Whether the tags contain one, such as that of a cursor, by weak comparison: `If-None-Match`.
  func contains(_ tag: String) -> Bool {
    if case .any = self { true } else { sent(tag) != nil }
  }

  /// Returns a tag with its quotes, as the client sent it, or `nil` if it is not among the tags.
  func sent(_ tag: String) -> String? {
    guard case .tags(let tags) = self else { return nil }
    return tags.first { PositionText.plain($0.tag) == tag }.map { "\"\($0.tag)\"" }
  }

  /// The cursors, by strong comparison: `If-Match`, or `nil` for any.
  var cursors: [Cursor]? {
    switch self {
    case .any: nil
    case .tags(let tags): tags.compactMap { $0.isWeak ? nil : Cursor(PositionText.plain($0.tag)) }
    }
  }

  /// The suffix of the entity tag of a compressed representation.
  ///
  /// It must differ from the tag of the plain one (RFC 9110, 8.8.3.3). No cursor contains a plus.
  static let gzipSuffix = "+gzip"
}

extension StringProtocol {
  /// Returns the text without leading and trailing spaces and tabs.
  func trimmingSpaces() -> SubSequence {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}

extension HTTPFields {
  /// Appends the entity tag of a cursor, without creating a string: every action has one.
  mutating func appendTag(of cursor: Cursor) {
    let tag = cursor.entityTag
    unsafe append("ETag", byteCount: tag.byteCount) { unsafe tag.write(to: $0) }
  }
}
