/// What a client is owed: pieces in order, each shared with every other connection that is sent it.
///
/// Pure, and without an allocation while there is one piece, which is mostly so.
struct OwedBytes {
  /// So much is written at once: to a system call that is hardly more than a few bytes.
  static let batch = 16_384
  /// So many pieces wait at most, but for what ends the body.
  static let pieceBound = 64

  private var first: ArraySlice<UInt8>
  private var rest: [ArraySlice<UInt8>] = []

  /// How many bytes there are.
  private(set) var count: Int

  /// Owes one piece, or nothing.
  init(_ piece: ArraySlice<UInt8> = []) {
    first = piece
    count = piece.count
  }

  /// Whether there are none.
  var isEmpty: Bool { count == 0 }

  /// Whether another piece would only wait.
  var isEnough: Bool { count >= Self.batch || rest.count >= Self.pieceBound - 1 }

  /// Adds a piece.
  mutating func append(_ piece: ArraySlice<UInt8>) {
    guard !piece.isEmpty else { return }
    if isEmpty { first = piece } else { rest.append(piece) }
    count += piece.count
  }

  /// So many bytes were written.
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

  /// Calls a body with what is to be written next: one piece where it lies, or several small ones
  /// side by side.
  func withNext<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard !rest.isEmpty, first.count < Self.batch else {
      return unsafe first.withUnsafeBytes { unsafe body($0) }
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
