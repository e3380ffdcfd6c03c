/// A list of indices ordered by the time of their last activity, the oldest first.
///
/// All timeouts of one kind share one interval, so the list replaces a timer per connection. Touching
/// and removing are O(1), and an index occupies 12 bytes: a link has the low half of its time, which is
/// unambiguous for 49 days.
struct RecencyList {
  private struct Link {
    var previous: Int32 = RecencyList.absent
    var next: Int32 = RecencyList.none
    var time: UInt32 = 0
  }

  private static let none: Int32 = -1
  /// The value of `previous` for an index that is not in the list.
  private static let absent: Int32 = -2
  private var links: [Link] = []
  private var head = none
  private var tail = none
  /// The time of the latest activity of all indices.
  private var latest: Int64 = 0

  /// The number of indices in the list.
  private(set) var count = 0

  /// The index with the oldest activity, and its time.
  var oldest: (index: Int, time: Int64)? {
    head == Self.none ? nil : (Int(head), time(of: links[Int(head)]))
  }

  /// The time of the last activity of an index, or `nil` if it is not in the list.
  func time(of index: Int) -> Int64? {
    guard index < links.count, links[index].previous != Self.absent else { return nil }
    return time(of: links[index])
  }

  private func time(of link: Link) -> Int64 {
    latest - Int64(UInt32(truncatingIfNeeded: latest) &- link.time)
  }

  /// Moves an index to the end of the list.
  ///
  /// - Parameters:
  ///   - index: An index, which need not be in the list.
  ///   - time: The time of its activity in milliseconds; must not decrease between calls.
  mutating func touch(_ index: Int, at time: Int64) {
    while links.count <= index { links.append(Link()) }
    latest = time
    let time = UInt32(truncatingIfNeeded: time)
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

  /// Removes an index, if it is in the list.
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
