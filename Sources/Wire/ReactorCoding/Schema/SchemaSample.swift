/// The placeholder values of one attempt to decode a type.
///
/// The attempts go from the smallest values to ones that validating types accept: each text is in the
/// form of something that is often a type of its own, each number satisfies other bounds.
struct SchemaSample {
  let text: String
  let number: Int

  /// The number of elements that arrays and data have in addition to their smallest number.
  let extra: Int

  var isFilled: Bool { extra > 0 }

  /// The smallest values: an empty text, 0.
  static let smallest = SchemaSample(text: "", number: 0, extra: 0)

  /// The samples for a type in the order of the attempts.
  static func all(for type: any Any.Type) -> [SchemaSample] {
    // Foundation traps when it releases a `CharacterSet` without a bitmap.
    String(reflecting: type) == "Foundation.CharacterSet" ? all.filter(\.isFilled) : all
  }

  private static let all: [SchemaSample] =
    [smallest]
    + texts.indices.map {
      SchemaSample(
        text: texts[$0], number: numbers[$0 % numbers.count],
        extra: $0 < numbers.count ? 0 : ($0 + 2) % 4 + 1)
    }

  private static let numbers = [1, 2, 5, 10, 20, 50, 100, 1000, 2000, -1]

  private static let texts = [
    "a", "0", "https://example.org/", "00000000-0000-0000-0000-000000000000",
    "2000-01-01T00:00:00Z", "2000-01-01", "user@example.org", "12:00", "EUR", "GMT", "en", "de_DE",
    "#000000", "+15555550100", "127.0.0.1", "::1", "example.org", "text/plain", "1.0.0", "a-b",
    "a.b",
    "a=b", "/a", "@a", "ABC-123", "A1", "12345", "12345678", "abcdefgh", "Abcdefgh1!", "a b",
    "AQ==",
    "00ff", "0123456789abcdef0123456789abcdef", "DE89370400440532013000", "4111111111111111", "{}",
    "1/2", "P1D", "gregorian", "😀",
  ]
}
