import Foundation

/// Tokens with signatures that no key has made, of every algorithm.
enum ForgedTokens {
  /// A key set for every algorithm, without the private keys.
  static let keys = """
    {"keys":[
    {"kty":"oct","kid":"HS256","alg":"HS256","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"},
    {"kty":"RSA","kid":"RS256","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"},
    {"kty":"EC","crv":"P-256","kid":"ES256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
    {"kty":"EC","crv":"P-384","kid":"ES384","x":"hhhK0fzGU73To8swc8tsQGsiczkvcDhMgV0pJHR40youc4mUGz5ZQ0Jemt_4SHpS","y":"boVgzl97REIB3BQy8WbrFYYz5_lBhz8nY-jyZPCZsCtnJ4Da5_Nkow_1b9iAjtH2"},
    {"kty":"EC","crv":"P-521","kid":"ES512","x":"AdVOPA7NzXdYww8do6DYwKbZRZaBihhGcfzcN1Tfv0x9g10uzWWvXYpWhq8TxcpfiOXlRykGO2x3WGRmPZil-upQ","y":"AUz3m42W-etpFDipeLSlMR5Gy9_EYvIbkCFU_EpOk7uqOD2fSLh6ShMtdxk0aOyMUOTJ7EEgdHZkHH3Ilw7PqPpF"},
    {"kty":"OKP","crv":"Ed25519","kid":"EdDSA","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
    ]}
    """

  /// The algorithms, with the length of a signature.
  private static let algorithms = [
    ("HS256", 32), ("RS256", 256), ("PS256", 256), ("ES256", 64), ("ES384", 96), ("ES512", 132),
    ("EdDSA", 64),
  ]

  /// Returns a token whose claims are different for each number; every other one names no key.
  static func token(_ number: Int) -> String {
    let (algorithm, length) = algorithms[number % algorithms.count]
    let key = algorithm == "PS256" ? "RS256" : algorithm
    let id = number / algorithms.count % 2 == 0 ? #","kid":"\#(key)""# : ""
    let signature = (0..<length).map { UInt8(truncatingIfNeeded: $0 &+ number) }
    return encoded(Array(#"{"alg":"\#(algorithm)"\#(id)}"#.utf8)) + "."
      + encoded(Array(#"{"sub":"\#(number)","exp":4102444800}"#.utf8)) + "." + encoded(signature)
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}
