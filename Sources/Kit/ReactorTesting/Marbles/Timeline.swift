public import ReactorStreams

/// Events over time as a drawing, in which each character is a tick.
///
/// | character | means |
/// | --- | --- |
/// | `-` | no event |
/// | `\|` | the stream completes |
/// | `#` | the stream fails with ``TestError/test`` |
/// | `[ab]` | `a` and `b` happen in one tick |
/// | a space | ignored |
/// | any other | an element with that name |
public struct Timeline: Equatable, Sendable {
  /// The reason why a drawing is malformed.
  public enum Mistake: Error, Hashable {
    /// A bracket has no counterpart. The associated value is the offset of the bracket.
    case unbalancedGroup(at: Int)
  }

  /// The events and their ticks.
  public let events: [Recorded<Event<String>>]

  /// Creates a timeline from events.
  public init(events: [Recorded<Event<String>>]) {
    self.events = events
  }

  /// Creates a timeline from a drawing.
  ///
  /// - Throws: ``Mistake`` if it is malformed.
  public init(_ drawing: String) throws(Mistake) {
    var events: [Recorded<Event<String>>] = []
    var tick = 0
    var group: Int?
    for (offset, character) in drawing.enumerated() {
      switch character {
      case " ": continue
      case "[":
        guard group == nil else { throw .unbalancedGroup(at: offset) }
        group = offset
        continue
      case "]":
        guard group != nil else { throw .unbalancedGroup(at: offset) }
        group = nil
      case "-": break
      case "|": events.append(.completed(tick))
      case "#": events.append(.error(tick))
      default: events.append(.next(tick, String(character)))
      }
      if group == nil { tick += 1 }
    }
    if let group { throw .unbalancedGroup(at: group) }
    self.events = events
  }

}

extension Timeline: CustomStringConvertible {
  /// The drawing.
  public var description: String {
    var drawing = ""
    var tick = 0
    for (time, group) in groupedByTick() {
      drawing += String(repeating: "-", count: max(0, time - tick))
      drawing += group.count == 1 ? group[0] : "[\(group.joined())]"
      tick = time + 1
    }
    return drawing
  }

  private func groupedByTick() -> [(time: TestTime, marks: [String])] {
    var groups: [(time: TestTime, marks: [String])] = []
    for event in events {
      let mark =
        switch event.value {
        case .next(let element): element
        case .error: "#"
        case .completed: "|"
        }
      if let last = groups.indices.last, groups[last].time == event.time {
        groups[last].marks.append(mark)
      } else {
        groups.append((event.time, [mark]))
      }
    }
    return groups
  }
}
