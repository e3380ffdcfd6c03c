internal import ReactorCoding
internal import ReactorHost

/// The value of `If-Match` or `If-None-Match` (RFC 9110, 13.1).
enum EntityTags {
  case any
  case tags([(tag: Substring, isWeak: Bool)])

  /// Reads a field of a request; `nil` where it is not there.
  init?(of request: HTTPRequest, in header: HTTPHeader, name: String) throws(Problem) {
    guard let field = request[header: header] else { return nil }
    try self.init(field, name: name)
  }

  /// Reads a field; what does not follow the grammar is a problem of the client's.
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

  /// Whether a representation is one of these, by weak comparison: `If-None-Match`.
  func contains(_ cursor: Cursor) -> Bool {
    if case .any = self { true } else { tag(of: cursor) != nil }
  }

  /// The tag among these that a point has, as it was sent.
  func tag(of cursor: Cursor) -> String? {
    guard case .tags(let tags) = self else { return nil }
    let plain = cursor.description
    return tags.first { Self.plain($0.tag) == plain }.map { "\"\($0.tag)\"" }
  }

  /// The points that are named, by strong comparison: `If-Match`.
  ///
  /// `nil` stands for any.
  var cursors: [Cursor]? {
    switch self {
    case .any: nil
    case .tags(let tags): tags.compactMap { $0.isWeak ? nil : Cursor(Self.plain($0.tag)) }
    }
  }

  /// The tag of the plain form: a compressed one is of the same point of the same history.
  private static func plain(_ tag: Substring) -> Substring {
    let suffix = AnswerCompression.tagSuffix
    return tag.hasSuffix(suffix) ? tag.dropLast(suffix.count) : tag
  }
}

extension StringProtocol {
  /// The text without spaces and tabs at its ends.
  func trimmingSpaces() -> SubSequence {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }
}

extension HTTPFields {
  /// Adds the entity tag of a point of a history; it is told with every action.
  mutating func appendTag(of cursor: Cursor) {
    let tag = cursor.entityTag
    append("ETag", byteCount: tag.byteCount) { tag.write(to: $0) }
  }
}
