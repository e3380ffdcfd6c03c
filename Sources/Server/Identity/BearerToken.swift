internal import Crypto

/// The position of a bearer token in the value of `Authorization` (RFC 6750, 2.1), and its digest.
struct BearerToken {
  /// The offset of the token.
  let start: Int

  /// The length of the token, greater than 0.
  let count: Int

  /// The digest, or `nil` for a token that is too long to be verified.
  let digest: SHA256.Digest?

  private static let scheme: StaticString = "bearer"

  /// Finds the token, or returns `nil` for another scheme, or without a token.
  init?(_ field: UnsafeBufferPointer<UInt8>) {
    let schemeCount = Self.scheme.utf8CodeUnitCount
    guard field.count > schemeCount, unsafe Self.isSpace(field[schemeCount]) else { return nil }
    for index in 0..<schemeCount {
      let isEqual = unsafe ASCIICase.lowercased(field[index]) == Self.scheme.utf8Start[index]
      guard isEqual else { return nil }
    }
    var (start, end) = (schemeCount, field.count)
    while start < end, unsafe Self.isSpace(field[start]) { start += 1 }
    while start < end, unsafe Self.isSpace(field[end - 1]) { end -= 1 }
    guard start < end else { return nil }
    self.start = start
    count = end - start
    let isVerifiable = count <= TokenVerifier.sizeLimit
    digest =
      isVerifiable
      ? unsafe SHA256.Digest(of: UnsafeBufferPointer(rebasing: field[start..<end])) : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
