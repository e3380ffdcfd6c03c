internal import COpenSSL

/// HMAC (RFC 2104), computed by libcrypto.
package enum MessageAuthentication {
  /// Returns the authentication code of `message` with SHA-256, 32 bytes.
  package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    code(for: message, key: key, with: .sha256)
  }

  private static func code(
    for message: [UInt8], key: [UInt8], with hash: HashFunction
  ) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: hash.digestLength) { output, count in
      var length: UInt32 = 0
      let result = unsafe key.withUnsafeBufferPointer { key in
        unsafe message.withUnsafeBufferPointer { message in
          unsafe HMAC(
            hash.implementation, key.baseAddress, Int32(key.count), message.baseAddress,
            message.count, output.baseAddress, &length)
        }
      }
      // Fails only if the hash function is missing or memory is exhausted.
      precondition(
        unsafe result != nil && length == UInt32(hash.digestLength), "libcrypto has no HMAC")
      count = hash.digestLength
    }
  }

  /// Returns whether `code` authenticates `message`; the comparison takes constant time.
  package static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
    isValid(code, for: message, key: key, with: .sha256)
  }

  /// Returns whether `code` authenticates `message`; the comparison takes constant time.
  static func isValid(
    _ code: [UInt8], for message: [UInt8], key: [UInt8], with hash: HashFunction
  ) -> Bool {
    areEqual(code, Self.code(for: message, key: key, with: hash))
  }

  /// Returns whether the texts are equal, in a time that depends on their lengths only.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe CRYPTO_memcmp(left, right, left.count) == 0
  }
}

/// Bytes of the system's cryptographic random number generator.
package enum RandomBytes {
  /// Returns `count` unpredictable bytes.
  package static func make(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}

extension HashFunction {
  /// The implementation of libcrypto, which is never freed.
  var implementation: OpaquePointer? {
    switch self {
    case .sha256: unsafe EVP_sha256()
    case .sha384: unsafe EVP_sha384()
    case .sha512: unsafe EVP_sha512()
    }
  }
}
