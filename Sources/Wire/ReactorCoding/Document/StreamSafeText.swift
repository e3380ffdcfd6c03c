extension String {
  /// The maximum number of consecutive non-starters in the Stream-Safe Text Format.
  static let nonStarterLimit = 30

  /// Whether the text is in the Stream-Safe Text Format (UAX #15, section 13): at most 30
  /// non-starters, such as combining marks, in a row.
  ///
  /// `==` and hashing of `String` normalise, which sorts each run of non-starters in quadratic time.
  /// A client could occupy a thread for minutes with one long run; in this format the time is
  /// linear in the length of the text.
  var isStreamSafe: Bool {
    // A non-starter has at least two bytes.
    guard utf8.count > 2 * Self.nonStarterLimit else { return true }
    var run = 0
    for scalar in unicodeScalars {
      guard scalar.isNonStarter else {
        run = 0
        continue
      }
      run += 1
      if run > Self.nonStarterLimit { return false }
    }
    return true
  }

  /// Whether both texts have the same bytes, unlike `==`, which normalises.
  func hasSameBytes(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}

extension Unicode.Scalar {
  fileprivate var isNonStarter: Bool {
    switch value {
    case ..<0x300: false
    // Starters that decompose into non-starters.
    case 0xF73, 0xF75, 0xF81: true
    default: properties.canonicalCombiningClass != .notReordered
    }
  }
}

/// A text that is compared and hashed by its UTF-8 bytes, since JSON has no canonical equivalence.
struct UTF8Text: Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: UTF8Text, right: UTF8Text) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
