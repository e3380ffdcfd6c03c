import Identity
import Testing

/// The examples of RFC 7515 and RFC 8037.
struct PublishedVectorTests {
  private func verify(_ token: String, key: String, at now: Int64 = 1_300_000_000) throws {
    var rules = TokenVerifier.Rules()
    rules.requiresExpiry = false
    _ = try TokenVerifier(keys: KeySet(Array(key.utf8)), rules: rules).verify(token.utf8, at: now)
  }

  /// The payloads have no `sub`: a token with a valid signature fails with
  /// ``TokenVerifier/Failure/invalidClaims``, one with a wrong signature with
  /// ``TokenVerifier/Failure/badSignature``.
  @Test(arguments: [
    (
      // RFC 7515, A.1
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#
    ),
    (
      // RFC 7515, A.2
      "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
      #"{"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}"#
    ),
    (
      // RFC 7515, A.3
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
      #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
    ),
  ])
  func `an example verifies, and does not with one bit changed`(token: String, key: String) throws {
    #expect(throws: TokenVerifier.Failure.invalidClaims) { try verify(token, key: key) }
    var changed = Array(token.utf8)
    let payload = try #require(changed.firstIndex(of: UInt8(ascii: ".")))
    changed[payload + 5] ^= 1
    #expect(throws: TokenVerifier.Failure.badSignature) {
      try verify(String(decoding: changed, as: UTF8.self), key: key)
    }
  }

  /// The payload is a text that is not JSON.
  ///
  /// It is parsed after the verification of the signature, so a valid signature results in
  /// ``TokenVerifier/Failure/malformed``.
  @Test func `the Ed25519 example of RFC 8037 verifies`() throws {
    let key = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
    let text = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
    let signature =
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    #expect(throws: TokenVerifier.Failure.malformed) { try verify(text + signature, key: key) }
    #expect(throws: TokenVerifier.Failure.badSignature) {
      try verify(text + "i" + signature.dropFirst(), key: key)
    }
  }
}
