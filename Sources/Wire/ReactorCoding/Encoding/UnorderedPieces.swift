/// The collections of the standard library whose order is not part of their value, and that encode
/// themselves as arrays.
///
/// Their order depends on the hash seed of the process and on the history of the collection. Equal
/// values must have equal bytes, so the elements of a set, and the pairs of a dictionary whose keys
/// are no coding keys, are sorted by their bytes.
enum UnorderedCollections {
  /// Returns the kind of the array that a value of a type opens.
  @inline(__always)
  static func kind(of type: any Any.Type) -> JSONOutput.Kind {
    (type as? any UnorderedCollection.Type)?.kind ?? .array
  }
}

private protocol UnorderedCollection {
  static var kind: JSONOutput.Kind { get }
}

extension Set: UnorderedCollection {
  fileprivate static var kind: JSONOutput.Kind { .set }
}

extension Dictionary: UnorderedCollection {
  fileprivate static var kind: JSONOutput.Kind { .pairs }
}

/// Sorts the elements of an unordered collection by their bytes.
struct UnorderedPieces {
  /// An element and the bytes that decide most comparisons.
  private struct Piece {
    /// Up to four bytes after those that all pieces share, as a big-endian number; missing ones
    /// are zero, which no JSON text has.
    let key: UInt32
    let start: UInt32
    let end: UInt32
  }

  private var pieces: [Piece]

  /// Sorts the pieces of a text.
  ///
  /// - Parameters:
  ///   - starts: The offsets of the pieces, ascending, at least two.
  ///   - text: The text up to the end of the last piece, of at most 4 GiB; a comma ends each of the
  ///     others.
  init(_ starts: [Int], in text: Span<UInt8>) {
    let shared = Self.sharedLength(starts, in: text)
    pieces = starts.indices.map { index in
      let start = starts[index]
      let end = index + 1 < starts.count ? starts[index + 1] - 1 : text.count
      return Piece(
        key: Self.key(in: text, from: start + shared, to: end),
        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end))
    }
    sortByKey()
    var first = 0
    for index in pieces.indices where pieces[index].key != pieces[first].key {
      sort(first..<index, in: text, after: shared)
      first = index
    }
    sort(first..<pieces.count, in: text, after: shared)
  }

  /// Sorts the pieces by their keys: by counting the values of each byte, from the last byte to the
  /// first (Knuth, The Art of Computer Programming, 5.2.5), so that hostile texts cost no more.
  private mutating func sortByKey() {
    guard pieces.count > 128 else { return pieces.sort { $0.key < $1.key } }
    var sorted = pieces
    for shift in stride(from: 0 as UInt32, to: 32, by: 8) {
      var places = InlineArray<256, Int>(repeating: 0)
      for piece in pieces { places[Int(piece.key >> shift & 0xFF)] += 1 }
      guard places[Int(pieces[0].key >> shift & 0xFF)] < pieces.count else { continue }
      var next = 0
      for byte in places.indices { (places[byte], next) = (next, next + places[byte]) }
      var target = sorted.mutableSpan
      for piece in pieces {
        let byte = Int(piece.key >> shift & 0xFF)
        target[places[byte]] = piece
        places[byte] += 1
      }
      swap(&pieces, &sorted)
    }
  }

  /// Sorts pieces with equal keys by their remaining bytes.
  private mutating func sort(_ range: Range<Int>, in text: Span<UInt8>, after shared: Int) {
    guard range.count > 1 else { return }
    pieces[range].sort { Self.precedes($0, $1, in: text, after: shared) }
  }

  /// The ranges of the pieces in the order of their bytes.
  var ranges: some Sequence<Range<Int>> {
    pieces.lazy.map { Int($0.start)..<Int($0.end) }
  }

  /// Returns the number of bytes that all pieces begin with.
  private static func sharedLength(_ starts: [Int], in text: Span<UInt8>) -> Int {
    let first = starts[0]
    var shared = starts[1] - 1 - first
    for start in starts.dropFirst() {
      shared = sharedLength(first, start, limit: min(shared, text.count - start), in: text)
    }
    return shared
  }

  /// Returns the number of equal bytes after two offsets, at most `limit`, by which both can increase.
  private static func sharedLength(
    _ one: Int, _ other: Int, limit: Int, in text: Span<UInt8>
  ) -> Int {
    var length = 0
    while length + 8 <= limit {
      let difference = word(at: one + length, in: text) ^ word(at: other + length, in: text)
      guard difference == 0 else { return length + difference.leadingZeroBitCount / 8 }
      length += 8
    }
    while length < limit, text[one + length] == text[other + length] { length += 1 }
    return length
  }

  /// Returns the eight bytes at an offset as a big-endian number.
  private static func word(at offset: Int, in text: Span<UInt8>) -> UInt64 {
    unsafe UInt64(
      bigEndian: text.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private static func key(in text: Span<UInt8>, from start: Int, to end: Int) -> UInt32 {
    if start + 8 <= text.count, start + 4 <= end {
      return UInt32(truncatingIfNeeded: word(at: start, in: text) >> 32)
    }
    var key: UInt32 = 0
    for offset in start..<min(start + 4, end) { key = key << 8 | UInt32(text[offset]) }
    return key << (8 * UInt32(max(0, start + 4 - end)))
  }

  private static func precedes(
    _ left: Piece, _ right: Piece, in text: Span<UInt8>, after shared: Int
  ) -> Bool {
    let (one, other) = (Int(left.start) + shared, Int(right.start) + shared)
    let limit = min(Int(left.end) - one, Int(right.end) - other)
    let length = sharedLength(one, other, limit: limit, in: text)
    guard length < limit else { return left.end - left.start < right.end - right.start }
    return text[one + length] < text[other + length]
  }
}
