/// A token that joserfc has signed with a key that was discarded: its subject is `posted`.
public enum SampleToken {
  /// The public key.
  public static let keys = """
    {"kty":"OKP","crv":"Ed25519","kid":"bench","alg":"EdDSA","use":"sig",
    "x":"deQzy31XpI0eD2ZRX3iFndxiw9t0WZfVwGnyktxBtr8"}
    """

  /// The token.
  public static let text = [
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSIsImtpZCI6ImJlbmNoIn0.",
    "eyJzdWIiOiJwb3N0ZWQiLCJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJiZW5jaCIsImlhdCI6MTc2Mz",
    "AwMDAwMCwiZXhwIjo0MTAyNDQ0ODAwLCJyb2xlIjoiY3VzdG9tZXIifQ.",
    "L6ARH7EvFhj_Zh0ixDpmKVWCOcibBzzsm3pxnVTifPvzSsHV1HE7SP66Azvw__wGHyt4xW3kurljCJlMzyosBg",
  ].joined()
}
