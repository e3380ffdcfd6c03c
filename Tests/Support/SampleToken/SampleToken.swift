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

  /// The public key of ``rsaText``, of 2,048 bits; the private key was discarded.
  public static let rsaKeys =
    #"{"kty":"RSA","kid":"rsa","alg":"RS256","use":"sig","e":"AQAB","n":"\#(rsaModulus)"}"#

  /// The modulus of the key in base64url.
  public static let rsaModulus = [
    "uO4znraBRvPKno_a_CQNFePSEHbanqCxd1Hoop0t4_mr8QHu0hUgbO-pgorL8ZsahMaa7dtpm3LkXVVnIUtZkS2rgs",
    "wxhpnOXKJbqwCQ5bXgVdACZQnFzD17LIDc3NsMifCg7f9-I2Osm5n45S4Ib1FE9JA0__ksPvi0FvaFJ-jljdYDfGlB",
    "xb-fnABNH4Rz1SkR8F5atIJgdlhtKmbI4SYd6CBSEORE6vLPjpOkb1ToxdeCLDQroOyZ0QO1hi0EXT_C48Lxz339NX",
    "1xT42obvK7NillQJydKgIgk4ZSa7yaJdxCzpsB9lMMsxsQbCHisu_ExuCMH0lVfvnVnMu3YQ",
  ].joined()

  /// A token with the claims of ``text``, signed with RS256.
  public static let rsaText = [
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJzdWIiOiJwb3N0ZWQiLCJpc3MiOiJodHRwc",
    "zovL2lkLmV4YW1wbGUiLCJhdWQiOiJiZW5jaCIsImlhdCI6MTc2MzAwMDAwMCwiZXhwIjo0MTAyNDQ0ODAwLCJyb2x",
    "lIjoiY3VzdG9tZXIifQ.L1ek4JAo8a_49UXKxTDwPe639iu85RTKX2CFDG2B2V9klddZqktonFM6cu7BZCooblyoTT",
    "yMNnn0D-24KHxZ0UvbyvF5jCp_gVm9VlmrpFzW0IjJIRppCxOCd_neGN-aAPX6zgOy42wwS1lI1ZgDS6UlwdGvfhNP",
    "gWJlrrmJomB2asIrzbsnel4IiI72aAO_z3JEMr01NZ0szHOzGSjxFQ5P_Qo3eC0FFa0KjKOTX7rihVTtA-mdbU4ZtK",
    "ynPydH2ESf8z2HXBn0ILrhSOn8BCC4004Q1pJ1FVLLs9aQZr5SkAdr3b8-AJyMYflkVaZ6v6aLqdLgWK2ZajFCUHJK",
    "Hg",
  ].joined()
}
