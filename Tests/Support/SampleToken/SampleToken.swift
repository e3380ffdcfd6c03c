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

  /// The public key of ``rsaTexts``, of 2,048 bits; the private key was discarded.
  public static let rsaKeys =
    #"{"kty":"RSA","kid":"rsa","alg":"RS256","use":"sig","e":"AQAB","n":"\#(rsaModulus)"}"#

  /// The modulus of the key in base64url.
  public static let rsaModulus = [
    "tPKHa0zpSk8GYtcqWp887UwgCapSHrCzdigxG10LyjPMfAFn4UhykO8FxvTJRyDSB6zAwr_mRePngqxlnh8U96CiHZJo",
    "q1nPVo3YZ5gW8_yVAY4LfejrFwHaNgzhaxV360sCH8XHtWrwHqDPGEsBNZm4YmRr-Zdyoe17vbmlmYqOM055sybNEjAi",
    "nZy9pfdFVVDPwCrBuOC0qREmabFJbzSv-la_3d52ELnDuM9elSuj1W_UgCMkcjs7LFtLKCOzJO_xOPic0xGDe3LUidpC",
    "pL2qj8eSLXwepQ-oQabPvF7gA-YlvUVhYzyGUj6NvWa4vd13LDnqNeagfIfGglhtqQ",
  ].joined()

  /// Tokens with the claims of ``text``, but other times of issue, signed with RS256.
  public static let rsaTexts = [
    [
      "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJzdWIiOiJwb3N0ZWQiLCJpc3MiOiJodHRwczo",
      "vL2lkLmV4YW1wbGUiLCJhdWQiOiJiZW5jaCIsImlhdCI6MTc2MzAwMDAwMCwiZXhwIjo0MTAyNDQ0ODAwLCJyb2xlIjo",
      "iY3VzdG9tZXIifQ.eTNf4YxE2_YVfFybZQh0PhV4YT5Vcy7hYclXo9b9sIcpikfG-mbeFj70vRRo9YxT-i6LQVfvbNYX",
      "Wv5nX1aR7cGf6Zsr3bLkI4TEwI_lPhQJBHCtN76M4ek79YgXHi6bmlEsgrGeYn3x3wENmWgPnvp8gpw8u1Z9fOmA5p31",
      "1Qxvk_2uNtYJtsrq92aYsysWIN5314ppJrk39hc-m_tNDWiTHx81epmw53WjIbz0L_YCE01FGj9UiZWsaJ_fmuYAVWGN",
      "GEMih2Gtm1hutMaeeAeH5Q0_4pFxcQcyG_FkloVEQYVOvaBCvq_fnVodkUP0aMa8XJIHcBkUs4zKX8NsUA",
    ].joined(),
    [
      "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJzdWIiOiJwb3N0ZWQiLCJpc3MiOiJodHRwczo",
      "vL2lkLmV4YW1wbGUiLCJhdWQiOiJiZW5jaCIsImlhdCI6MTc2MzAwMDAwMSwiZXhwIjo0MTAyNDQ0ODAwLCJyb2xlIjo",
      "iY3VzdG9tZXIifQ.GH3N6haQPYVI3g0HgGElMcPJ3RjOGmwOyUzfmqg4ZMfABMiCsoLdkADLmapj8JLZtCp4o1NZi1mv",
      "x-YZfk3aU7J-QaaIx1ta55mkrEG8kRXqlJsxXHZgQlmiQtO4Hcfr6lkyF9c2C-9zo1Jh2TLYvBA3FMGunG8tNoYmoarc",
      "i-TzRFY6hrrkkuPZRXrs7pespNzVKmSMlijHZC9jAyagce_Loim7L_kUu2K5yPZER1aAVF2QvkFwZ14xze18BIozqi3D",
      "VN1pMx9u94_y6a6yJMrp3t3DN6OwL7DCG7WAkh--D1JwuUBCGKD2P38NuZB6jPdiE0UXthPouQvEgg26sQ",
    ].joined(),
    [
      "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJzdWIiOiJwb3N0ZWQiLCJpc3MiOiJodHRwczo",
      "vL2lkLmV4YW1wbGUiLCJhdWQiOiJiZW5jaCIsImlhdCI6MTc2MzAwMDAwMiwiZXhwIjo0MTAyNDQ0ODAwLCJyb2xlIjo",
      "iY3VzdG9tZXIifQ.h_MnXJCxCNaO2rSavU8t71IIth9JO1RPoAQc2sWF5t2YrSjIz4Vi7IvEsAwX9XSdYmsVJiFSD-8w",
      "MrZUTAp5eGQ1H31sZtEx0Rpt3bEwzPJvq9trcWkgkZT1Tq5UXzwpCLY85rsXvqxk0UVxlCDQ8LSZcNCYPTppFAHW5YLd",
      "y5fTVixQDnykLGlanmUSdgED2zwwTrveoJjKy_H50rGnGekLw4W7qxt7I64jwv722905iGsmdbbgSSS_YvMsHtfLvnQ1",
      "UKhTKEvJZMsWpu-_BZbVq1IG0EBTo8DKU8FYZ51AuPbFu4gkd_d_GlUf1Gp_9w0TGiUN9yGJKo9WCuUIaA",
    ].joined(),
  ]
}
