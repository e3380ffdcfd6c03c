/// The target of a request line, split at its first `?`.
struct RequestTarget: Sendable, Equatable {
  /// The path with its percent-encoding.
  var path = ""

  /// The query with its percent-encoding, or `nil` without a `?`.
  var query: String?

  /// Whether this is the target of a substitute, see `RepeatedHead`.
  var isSubstitute: Bool { path.utf8.count == 1 && path.utf8.first == RepeatedHead.target }

  /// Creates an empty target.
  init() {}

  /// Splits a target.
  ///
  /// The absolute form (`http://host/path`), which a server must accept, loses its scheme and
  /// authority; the other forms, including `*`, are unchanged.
  ///
  /// - Parameters:
  ///   - target: The bytes between the method and the version.
  ///   - question: The index of its first question mark, or `nil` without one.
  init(_ target: UnsafeBufferPointer<UInt8>, question: Int?) {
    let question = question ?? target.endIndex
    let path = unsafe Self.path(in: target[..<question])
    self.path = unsafe String(decoding: path, as: UTF8.self)
    if question < target.endIndex {
      self.query = unsafe String(decoding: target[(question + 1)...], as: UTF8.self)
    }
  }

  private static func path(
    in target: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    guard let first = unsafe target.first, first | 0x20 == UInt8(ascii: "h") else {
      return unsafe target
    }
    for scheme in ["http://", "https://"] {
      let length = scheme.utf8.count
      guard unsafe target.count >= length,
        unsafe zip(target, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
      else { continue }
      let authority = unsafe target.dropFirst(length)
      guard let slash = unsafe authority.firstIndex(of: UInt8(ascii: "/")) else {
        return unsafe authority[authority.endIndex...]
      }
      return unsafe authority[slash...]
    }
    return unsafe target
  }
}
