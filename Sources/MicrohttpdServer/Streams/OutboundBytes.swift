/// The bytes that a connection has not yet written: pieces in order, each shared with every other
/// connection that sends it.
///
/// Pure; without an allocation while there is one piece, which is the usual case.
struct OutboundBytes {
  /// The bytes per write; a system call takes hardly longer for this many than for a few.
  static let batch = 16_384
  /// The limit of bytes per write: what one connection is sent before another one that waits.
  static let share = 65_536
  /// The limit of pieces, except the last chunk of a body.
  static let pieceBound = 64

  private var first: ArraySlice<UInt8>
  private var rest: [ArraySlice<UInt8>] = []

  /// The number of bytes.
  private(set) var count: Int

  /// Creates a queue with one piece, or none.
  init(_ piece: ArraySlice<UInt8> = []) {
    first = piece
    count = piece.count
  }

  /// Whether there are no bytes.
  var isEmpty: Bool { count == 0 }

  /// Whether there is enough for one write, so that another piece would only wait.
  var isEnough: Bool { count >= Self.batch || rest.count >= Self.pieceBound - 1 }

  /// Appends a piece.
  mutating func append(_ piece: ArraySlice<UInt8>) {
    guard !piece.isEmpty else { return }
    if isEmpty { first = piece } else { rest.append(piece) }
    count += piece.count
  }

  /// Removes bytes that were written.
  mutating func removeFirst(_ written: Int) {
    var left = min(max(0, written), count)
    count -= left
    guard count > 0 else { return (first, rest) = ([], []) }
    var gone = 0
    while left >= first.count {
      left -= first.count
      first = rest[gone]
      gone += 1
    }
    first = first.dropFirst(left)
    rest.removeFirst(gone)
  }

  /// Calls a function with the bytes to write next: a share of a large piece in place, or a copy of
  /// several small ones.
  func withNext<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard !rest.isEmpty, first.count < Self.batch else {
      return unsafe first.prefix(Self.share).withUnsafeBytes { unsafe body($0) }
    }
    let size = min(count, Self.batch)
    return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { scratch in
      var filled = 0
      for piece in [first] + rest where filled < size {
        let part = piece.prefix(size - filled)
        unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[filled...])
          .copyBytes(from: part)
        filled += part.count
      }
      return unsafe body(UnsafeRawBufferPointer(scratch))
    }
  }
}
