internal import COpenSSL

/// The SHA-256 hash function (FIPS 180-4), computed by libcrypto.
public enum SHA256 {
  /// The length of a digest in bytes.
  public static let digestLength = 32

  /// Returns the digest of `bytes`, 32 bytes.
  public static func digest(of bytes: some Collection<UInt8>) -> [UInt8] {
    let input = ContiguousArray(bytes)
    return unsafe [UInt8](unsafeUninitializedCapacity: digestLength) { output, count in
      var length: UInt32 = 0
      let isComplete = unsafe input.withUnsafeBufferPointer {
        unsafe EVP_Digest($0.baseAddress, $0.count, output.baseAddress, &length, EVP_sha256(), nil)
      }
      // SHA-256 is part of every provider that libcrypto loads by default, and hashing allocates
      // nothing that could fail.
      precondition(isComplete == 1 && length == UInt32(digestLength), "libcrypto has no SHA-256")
      count = digestLength
    }
  }

  /// Returns the digest of `bytes` as 64 lowercase hexadecimal digits.
  public static func hexadecimal(of bytes: some Collection<UInt8>) -> String {
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
