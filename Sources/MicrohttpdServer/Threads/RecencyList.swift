/// Small numbers in the order in which something last happened to them: whoever waited longest is
/// first.
///
/// All timeouts of one kind share one interval, so this is all the timer there is: touching is O(1)
/// and nothing is armed per connection.
struct RecencyList {
  private struct Link {
    var previous: Int32 = RecencyList.none
    var next: Int32 = RecencyList.none
    var time: Int64 = RecencyList.absent
  }

  private static let none: Int32 = -1
  private static let absent = Int64.min
  private var links: [Link] = []
  private var head = none
  private var tail = none

  /// How many are known.
  private(set) var count = 0

  /// Who waited longest, and since when.
  var oldest: (index: Int, time: Int64)? {
    head == Self.none ? nil : (Int(head), links[Int(head)].time)
  }

  /// When it happened to `index`; `nil` where that is not known.
  func time(of index: Int) -> Int64? {
    guard index < links.count, links[index].time != Self.absent else { return nil }
    return links[index].time
  }

  /// It happened to `index` now: it becomes the last.
  ///
  /// Times must not go backwards.
  mutating func touch(_ index: Int, at time: Int64) {
    while links.count <= index { links.append(Link()) }
    if tail == Int32(index) {
      links[index].time = time
      return
    }
    remove(index)
    links[index] = Link(previous: tail, next: Self.none, time: time)
    if tail == Self.none { head = Int32(index) } else { links[Int(tail)].next = Int32(index) }
    tail = Int32(index)
    count += 1
  }

  /// Forgets `index`, where it is known.
  mutating func remove(_ index: Int) {
    guard time(of: index) != nil else { return }
    let link = links[index]
    if link.previous == Self.none {
      head = link.next
    } else {
      links[Int(link.previous)].next = link.next
    }
    if link.next == Self.none {
      tail = link.previous
    } else {
      links[Int(link.next)].previous = link.previous
    }
    links[index] = Link()
    count -= 1
  }
}
