import Crypto
import Testing

struct DigestTests {
  /// FIPS 180-4 examples, published by NIST.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `SHA-256 has the published digests`(text: String, digest: String) {
    #expect(SHA256.hexadecimal(of: text.utf8) == digest)
  }

  /// RFC 4231, test cases 1 and 2.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
  ])
  func `HMAC has the published codes`(key: [UInt8], text: String, code: String) {
    let message = Array(text.utf8)
    let bytes = MessageAuthentication.code(for: message, key: key)
    let digits = bytes.map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    #expect(digits.joined() == code)
    #expect(MessageAuthentication.isValid(bytes, for: message, key: key))
    #expect(!MessageAuthentication.isValid(bytes.dropLast() + [0], for: message, key: key))
    #expect(!MessageAuthentication.isValid([], for: message, key: key))
  }
}
