/// The bytes that a connection has not yet written: pieces in order, each shared with every other
/// connection that sends it.
///
/// Pure. One piece, the usual case, needs no allocation. The size is small, because each idle
/// stream has a value of this type.
struct OutboundBytes {
  /// Part of an array; half the size of an `ArraySlice`.
  private struct Piece {
    var bytes: [UInt8] = []
    var start: UInt32 = 0
    var end: UInt32 = 0

    var count: Int { Int(end - start) }
    var slice: ArraySlice<UInt8> { bytes[Int(start)..<Int(end)] }
  }

  /// The number of bytes for which small pieces are collected into one write; a system call takes
  /// hardly longer for this many bytes than for a few.
  static let batch = 16_384
  /// The maximum number of bytes per write, and the number of bytes after which other connections
  /// are served first.
  static let share = 65_536
  /// The maximum number of pieces, not counting the last chunk of a body.
  static let pieceBound = 64

  private var first = Piece()
  private var rest: [Piece] = []

  /// The number of bytes.
  private(set) var count = 0

  /// Creates a queue with one piece, or none.
  init(_ bytes: [UInt8] = []) { append(bytes) }

  /// Whether there are no bytes.
  var isEmpty: Bool { count == 0 }

  /// Whether there is enough for one write, so that the stream need not be polled for another
  /// piece.
  var isEnough: Bool { count >= Self.batch || rest.count >= Self.pieceBound - 1 }

  /// Appends a piece.
  mutating func append(_ bytes: [UInt8]) { append(bytes, bytes.indices) }

  /// Appends part of an array as a piece; one that does not end within its first 4 GiB is copied.
  mutating func append(_ bytes: [UInt8], _ range: Range<Int>) {
    guard let start = UInt32(exactly: range.lowerBound), let end = UInt32(exactly: range.upperBound)
    else {
      let middle = range.lowerBound + range.count / 2
      append(Array(bytes[range.lowerBound..<middle]))
      return append(Array(bytes[middle..<range.upperBound]))
    }
    append(Piece(bytes: bytes, start: start, end: end))
  }

  private mutating func append(_ piece: Piece) {
    guard piece.count > 0 else { return }
    if isEmpty { first = piece } else { rest.append(piece) }
    count += piece.count
  }

  /// Removes bytes that were written.
  mutating func removeFirst(_ written: Int) {
    var left = min(max(0, written), count)
    count -= left
    guard count > 0 else { return (first, rest) = (Piece(), []) }
    var gone = 0
    // In a local variable: swiftc 6.3.1 with -O does not compile mutations of the property's
    // members.
    var next = first
    while left >= next.count {
      left -= next.count
      next = rest[gone]
      gone += 1
    }
    next.start += UInt32(left)
    first = next
    rest.removeFirst(gone)
  }

  /// Calls a function with the bytes to write next: a share of a large piece in place, or a copy of
  /// several small ones.
  func withNext<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard !rest.isEmpty, first.count < Self.batch else {
      return unsafe first.slice.prefix(Self.share).withUnsafeBytes { unsafe body($0) }
    }
    let size = min(count, Self.batch)
    return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { scratch in
      var filled = 0
      for piece in [first] + rest where filled < size {
        let part = piece.slice.prefix(size - filled)
        unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[filled...])
          .copyBytes(from: part)
        filled += part.count
      }
      return unsafe body(UnsafeRawBufferPointer(scratch))
    }
  }
}
