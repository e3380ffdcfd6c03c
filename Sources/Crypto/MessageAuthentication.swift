internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104), computed by libcrypto.
public enum MessageAuthentication {
  /// Returns the authentication code of `message`, 32 bytes.
  public static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: SHA256.digestLength) { output, count in
      var length: UInt32 = 0
      let result = unsafe key.withUnsafeBufferPointer { key in
        unsafe message.withUnsafeBufferPointer { message in
          unsafe HMAC(
            EVP_sha256(), key.baseAddress, Int32(key.count), message.baseAddress, message.count,
            output.baseAddress, &length)
        }
      }
      // Fails only if SHA-256 is missing or memory is exhausted.
      precondition(
        unsafe result != nil && length == UInt32(SHA256.digestLength), "libcrypto has no HMAC")
      count = SHA256.digestLength
    }
  }

  /// Returns whether `code` authenticates `message`; the comparison takes constant time.
  public static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
    areEqual(code, Self.code(for: message, key: key))
  }

  /// Returns whether the texts are equal, in a time that depends on their lengths only.
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe CRYPTO_memcmp(left, right, left.count) == 0
  }
}

/// Bytes of the system's cryptographic random number generator.
public enum RandomBytes {
  /// Returns `count` unpredictable bytes.
  public static func make(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
