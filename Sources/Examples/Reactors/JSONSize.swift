/// A value whose size as JSON depends on its texts.
///
/// A bound on the bytes of a text is none on those of its JSON, in which a control character has six.
protocol JSONSized {
  /// Returns the maximum size of this value as JSON, with the size of each text.
  func jsonSize(_ size: (String) -> Int) -> Int
}

extension Array where Element: JSONSized {
  /// Returns whether the elements have at most a number of bytes as JSON.
  func fits(_ limit: Int) -> Bool {
    // The first sum does not read the texts.
    sum { 2 + 6 * $0.utf8.count } <= limit || sum(\.jsonSize) <= limit
  }

  /// Removes the oldest elements until the others have at most a number of bytes as JSON.
  mutating func removeFirst(beyond limit: Int) {
    guard !fits(limit) else { return }
    var size = sum(\.jsonSize)
    let oldest = prefix { element in
      guard size > limit else { return false }
      size -= element.jsonSize(\.jsonSize)
      return true
    }
    removeFirst(oldest.count)
  }

  private func sum(_ size: (String) -> Int) -> Int {
    reduce(0) { $0 + $1.jsonSize(size) }
  }
}

extension String {
  /// The size of this text as JSON, with its quotes.
  fileprivate var jsonSize: Int {
    utf8.reduce(2) { size, byte in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08...0x0A, 0x0C, 0x0D: size + 2
      case ..<0x20: size + 6
      default: size + 1
      }
    }
  }
}
