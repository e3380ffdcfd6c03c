/// Suggests a known word for an unknown one.
package enum Spelling {
  /// Returns `; did you mean …?` with the only word that begins with the unknown one, or with the most similar one; an
  /// empty string if there is none.
  package static func hint(for word: String, among candidates: [String]) -> String {
    let limit = max(1, word.utf8.count / 4)
    let nearest =
      candidates
      .map { (word: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
      .filter { $0.distance <= limit }
      .min { $0.distance < $1.distance }
    let longer = candidates.filter { $0.utf8.starts(with: word.utf8) }
    let meant = longer.count == 1 ? longer.first : nearest?.word
    return meant.map { "; did you mean \($0)?" } ?? ""
  }

  /// Returns the number of bytes to insert, remove, replace or swap with their neighbours.
  static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    // Settings and parameters have short names; a longer word is never similar.
    guard abs(first.count - second.count) <= 8, first.count <= 64 else { return .max }
    var before: [Int] = []
    var row = Array(0...second.count)
    for (index, byte) in first.enumerated() {
      var next = [index + 1]
      for column in second.indices {
        var cost = min(
          row[column] + (byte == second[column] ? 0 : 1), next[column] + 1, row[column + 1] + 1)
        if index > 0, column > 0, byte == second[column - 1], first[index - 1] == second[column] {
          cost = min(cost, before[column - 1] + 1)
        }
        next.append(cost)
      }
      (before, row) = (row, next)
    }
    return row[second.count]
  }
}
