/// The longest common subsequence of two sequences (Myers, An O(ND) Difference Algorithm and Its
/// Variations, 1986).
///
/// Sequences that differ in more than ``editLimit`` places are not aligned, which bounds the work.
struct SequenceAlignment {
  /// The maximum number of insertions and removals.
  static let editLimit = 96

  /// The pairs of equal positions, ascending in both sequences.
  let pairs: [(old: Int, new: Int)]

  /// Aligns two sequences; fails if they differ in more than ``editLimit`` places.
  ///
  /// - Parameters:
  ///   - oldCount: The length of the old sequence.
  ///   - newCount: The length of the new sequence.
  ///   - areEqual: Whether the elements at two positions are equal.
  init?(_ oldCount: Int, _ newCount: Int, areEqual: (Int, Int) -> Bool) {
    let limit = min(oldCount + newCount, Self.editLimit)
    // The furthest position per diagonal after each number of edits; diagonal k is at k + limit +
    // 1.
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

  /// Backtracks from the end to the origin.
  private static func trace(
    back history: [[Int]], from end: (old: Int, new: Int)
  ) -> [(old: Int, new: Int)] {
    var pairs: [(old: Int, new: Int)] = []
    var (old, new) = end
    for edits in history.indices.reversed() {
      /// The furthest position on a diagonal with one edit less.
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
