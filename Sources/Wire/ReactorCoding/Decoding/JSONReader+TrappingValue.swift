extension JSONReader {
  /// Rejects an object whose members Foundation must not read as a type.
  ///
  /// A member of another type passes: Foundation throws an error for it.
  @inline(never)
  func check(_ type: TrappingValue) throws {
    switch type {
    case .address:
      try check("port", Int.self, "A port is at least 0.") { $0 >= 0 }
      try check(
        "scheme", String.self,
        "A scheme is a letter, and then letters, digits, plus signs, dots and hyphens."
      ) { TrappingValue.isScheme($0) }
    case .calendar:
      for name in ["firstWeekday", "minimumDaysInFirstWeek"] {
        try check(name, Int.self, "The number is between 1 and 7.") { 1...7 ~= $0 }
      }
    case .characters:
      try check(
        "bitmap", TrappingValue.Bytes.self,
        "This is no bitmap of characters, or has more than 128 different rows of 32 bytes in one plane."
      ) { TrappingValue.isBitmap($0) }
    case .indices:
      guard let ranges = document.member(named: "indexes", of: node) else { return }
      for range in at(ranges).elements where range.entry.kind == .object {
        let location = range.member("location", Int.self) ?? 0
        try range.check("location", Int.self, "An index is at least 0.") { $0 >= 0 }
        try range.check("length", Int.self, "The range ends after the largest index.") { length in
          length >= 0 && location < Int.max - length
        }
      }
    }
  }

  /// The elements of an array; none for another value.
  fileprivate var elements: [JSONReader] {
    guard entry.kind == .array else { return [] }
    var readers: [JSONReader] = []
    var next = node + 1
    while next < entry.next {
      readers.append(at(next))
      next = document.node(next).next
    }
    return readers
  }

  /// Returns the value of a member, or `nil` if it is absent or of another type.
  fileprivate func member<Value: Decodable>(_ name: String, _ type: Value.Type) -> Value? {
    document.member(named: name, of: node).flatMap { try? at($0).read(type) }
  }

  /// Throws an error for a member that does not fit.
  fileprivate func check<Value: Decodable>(
    _ name: String, _ type: Value.Type, _ detail: String, isSafe: (Value) -> Bool
  ) throws {
    guard let value = member(name, type), !isSafe(value),
      let place = document.member(named: name, of: node)
    else { return }
    throw UnreadableValue.invalid(place, detail).wrapped()
  }
}
