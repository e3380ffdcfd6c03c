import TestSupport
import Testing

@testable import ReactorLog

struct OrderedIDsTests {
  /// Inserts and removes random ids, and compares every page with a sorted array.
  @Test(arguments: [1, 7, 42]) func `pages are those of a sorted array`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var ids = OrderedIDs()
    var model: Set<String> = []
    for step in 0..<6_000 {
      let id = "s\(random.next() % 3_000)"
      // Grows first, then shrinks to nothing.
      if random.next() % 10 < (step < 4_000 ? 8 : 1) {
        ids.insert(id)
        model.insert(id)
      } else {
        ids.remove(id)
        model.remove(id)
      }
      guard step % 100 == 0 else { continue }
      let sorted = model.sorted()
      let limit = Int(random.next() % 900)
      #expect(ids.ids(after: nil, limit: limit) == Array(sorted.prefix(limit)))
      #expect(ids.ids(after: id, limit: limit) == Array(sorted.filter { $0 > id }.prefix(limit)))
    }
    for id in model { ids.remove(id) }
    #expect(ids.ids(after: nil, limit: 10) == [])
  }

  @Test func `an id is contained once, and removing an unknown one changes nothing`() {
    var ids = OrderedIDs()
    ids.remove("a")
    for _ in 0..<3 { ids.insert("b") }
    ids.remove("a")
    ids.remove("c")
    #expect(ids.ids(after: nil, limit: 5) == ["b"])
    #expect(ids.ids(after: "a", limit: 5) == ["b"])
    #expect(ids.ids(after: "b", limit: 5) == [])
    #expect(ids.ids(after: nil, limit: 0) == [])
  }

  @Test(arguments: [0, 1, 63, 64, 65, 1_000]) func `a set of unordered ids is sorted`(count: Int) {
    let names = (0..<count).map { "s\($0)" }
    var ids = OrderedIDs(names.reversed())
    #expect(ids.ids(after: nil, limit: .max) == names.sorted())
    ids.insert("s1x")
    ids.remove("s0")
    #expect(
      ids.ids(after: nil, limit: .max) == Set(names + ["s1x"]).subtracting(["s0"]).sorted())
  }
}
