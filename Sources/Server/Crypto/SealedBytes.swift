internal import COpenSSL

/// Bytes that only the owners of a secret can read or create: AES-256 in Galois/counter mode (NIST SP 800-38D),
/// by libcrypto.
package enum SealedBytes {
  private static let nonceLength = 12
  private static let tagLength = 16

  /// Encrypts bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - secret: The secret, of any length.
  ///   - purpose: A name for what the bytes are. The same secret has another key for each purpose.
  /// - Returns: A random nonce, the encrypted bytes and their tag, or `nil` if memory is exhausted or libcrypto
  ///   has no AES.
  package static func seal(
    _ bytes: [UInt8], with secret: [UInt8], for purpose: String
  ) -> [UInt8]? {
    let nonce = RandomBytes.make(nonceLength)
    let key = MessageAuthentication.code(for: Array(purpose.utf8), key: secret)
    return transform(bytes, isEncrypting: true, key, nonce).map { nonce + $0 }
  }

  /// Decrypts bytes.
  ///
  /// - Parameters:
  ///   - sealed: Any bytes.
  ///   - secret: The secret.
  ///   - purpose: The name with which the bytes were encrypted.
  /// - Returns: The bytes, or `nil` if they were not encrypted with this secret for this purpose.
  package static func open(
    _ sealed: [UInt8], with secret: [UInt8], for purpose: String
  ) -> [UInt8]? {
    guard sealed.count >= nonceLength + tagLength else { return nil }
    let key = MessageAuthentication.code(for: Array(purpose.utf8), key: secret)
    return transform(
      Array(sealed[nonceLength...]), isEncrypting: false, key, Array(sealed[..<nonceLength]))
  }

  /// Encrypts bytes and appends their tag, or checks the tag and decrypts the bytes before it.
  private static func transform(
    _ input: [UInt8], isEncrypting: Bool, _ key: [UInt8], _ nonce: [UInt8]
  ) -> [UInt8]? {
    defer { ERR_clear_error() }
    let count = isEncrypting ? input.count : input.count - tagLength
    guard let length = Int32(exactly: count), let context = unsafe EVP_CIPHER_CTX_new() else {
      return nil
    }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let direction: Int32 = isEncrypting ? 1 : 0
    var tag = isEncrypting ? [UInt8](repeating: 0, count: tagLength) : Array(input[count...])
    var written: Int32 = 0
    var last = [UInt8](repeating: 0, count: tagLength)
    // One byte more, so that the pointer is valid without input.
    var output = [UInt8](repeating: 0, count: count + 1)
    guard unsafe EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce, direction) == 1,
      unsafe EVP_CipherUpdate(context, &output, &written, input, length) == 1,
      unsafe isEncrypting
        || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1,
      // The mode has no last block.
      unsafe EVP_CipherFinal_ex(context, &last, &written) == 1,
      unsafe !isEncrypting
        || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), &tag) == 1
    else { return nil }
    output.removeLast()
    return isEncrypting ? output + tag : output
  }
}
