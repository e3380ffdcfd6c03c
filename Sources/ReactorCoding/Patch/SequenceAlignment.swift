/// Which elements of two sequences correspond: the longest common subsequence, after Myers (An O(ND)
/// Difference Algorithm and Its Variations, 1986).
///
/// The work is bounded: sequences that differ in more than ``editLimit`` places are not aligned.
struct SequenceAlignment {
  /// How many insertions and removals are looked for.
  static let editLimit = 96

  /// The pairs of positions that are equal, ascending in both.
  let pairs: [(old: Int, new: Int)]

  /// Aligns two sequences; `nil` where they differ too much.
  ///
  /// - Parameters:
  ///   - oldCount: The length of the one.
  ///   - newCount: The length of the other.
  ///   - areEqual: Whether the elements at two positions are equal.
  init?(_ oldCount: Int, _ newCount: Int, areEqual: (Int, Int) -> Bool) {
    let limit = min(oldCount + newCount, Self.editLimit)
    // How far each diagonal was reached, after each number of edits; diagonal k is at k + limit + 1.
    var reach = [Int](repeating: 0, count: 2 * limit + 3)
    var history: [[Int]] = []
    let origin = limit + 1

    for edits in 0...limit {
      history.append(Array(reach[(origin - edits)...(origin + edits)]))
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        let comesFromAbove =
          diagonal == -edits
          || (diagonal != edits && reach[origin + diagonal - 1] < reach[origin + diagonal + 1])
        var old =
          comesFromAbove ? reach[origin + diagonal + 1] : reach[origin + diagonal - 1] + 1
        var new = old - diagonal
        while old < oldCount, new < newCount, areEqual(old, new) {
          old += 1
          new += 1
        }
        reach[origin + diagonal] = old
        if old >= oldCount, new >= newCount {
          pairs = Self.trace(back: history, from: (oldCount, newCount))
          return
        }
      }
    }
    return nil
  }

  /// Follows the way that was found from its end to its beginning.
  private static func trace(
    back history: [[Int]], from end: (old: Int, new: Int)
  ) -> [(old: Int, new: Int)] {
    var pairs: [(old: Int, new: Int)] = []
    var (old, new) = end
    for edits in history.indices.reversed() {
      /// What was reached on a diagonal with one edit less.
      func reached(_ diagonal: Int) -> Int { history[edits][diagonal + edits] }
      let diagonal = old - new
      let (previousOld, previousNew): (Int, Int)
      if edits == 0 {
        (previousOld, previousNew) = (0, 0)
      } else {
        let comesFromAbove =
          diagonal == -edits
          || (diagonal != edits && reached(diagonal - 1) < reached(diagonal + 1))
        let previous = comesFromAbove ? diagonal + 1 : diagonal - 1
        previousOld = reached(previous)
        previousNew = previousOld - previous
      }
      while old > previousOld, new > previousNew {
        old -= 1
        new -= 1
        pairs.append((old, new))
      }
      (old, new) = (previousOld, previousNew)
    }
    return pairs.reversed()
  }
}
