internal import COpenSSL

/// The SHA-256 hash function (FIPS 180-4), computed by libcrypto.
package enum SHA256 {
  /// The length of a digest in bytes.
  package static let digestLength = 32

  /// A digest as a value, for tables: neither creating nor comparing it allocates.
  package struct Digest: Hashable, Sendable {
    // The bytes of the digest, in memory order.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Computes the digest of bytes.
    package init(of bytes: UnsafeBufferPointer<UInt8>) {
      words = unsafe reactord_sha256(bytes.baseAddress, bytes.count).words
    }

    /// The 32 bytes of the digest.
    package var bytes: [UInt8] { unsafe withUnsafeBytes(of: words) { unsafe Array($0) } }

    /// Compares all bytes.
    package static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    /// Hashes the first 8 bytes, which are uniformly distributed like all bytes of a digest.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
  }

  /// Returns the digest of `bytes`, 32 bytes.
  package static func digest(of bytes: some Collection<UInt8>) -> [UInt8] {
    unsafe ContiguousArray(bytes).withUnsafeBufferPointer { unsafe Digest(of: $0).bytes }
  }

  /// Returns the digest of `bytes` as 64 lowercase hexadecimal digits.
  package static func hexadecimal(of bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * digestLength)
    for byte in digest(of: bytes) {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
