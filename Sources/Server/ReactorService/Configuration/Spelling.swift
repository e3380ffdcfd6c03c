/// Suggests a known word for an unknown one.
enum Spelling {
  /// Returns `; did you mean …?` with the most similar word, or an empty string if none is similar.
  static func hint(for word: String, among candidates: [String]) -> String {
    let limit = max(1, word.utf8.count / 4)
    let nearest =
      candidates
      .map { (word: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
      .filter { $0.distance <= limit }
      .min { $0.distance < $1.distance }
    return nearest.map { "; did you mean \($0.word)?" } ?? ""
  }

  /// Returns the Levenshtein distance in bytes.
  private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    // Settings have short names; a longer word is never similar.
    guard abs(first.count - second.count) <= 8, first.count <= 64 else { return .max }
    var row = Array(0...second.count)
    for (index, byte) in first.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in second.indices {
        let replaced = diagonal + (byte == second[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[second.count]
  }
}
