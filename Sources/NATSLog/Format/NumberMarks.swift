internal import ReactorCoding
internal import ReactorLog

/// The highest number of each series of numbered keys that have an outcome in a history.
///
/// Each message repeats them, so that a node that loads a session knows without reading the history that a
/// higher number has no outcome in it. Lower ones are looked up.
struct NumberMarks: Equatable, Sendable {
  struct Mark: Equatable, Sendable {
    let series: String
    var number: UInt64
    /// The time of the last outcome, in seconds.
    var at: Int64
  }

  /// The maximum number of series.
  static let limit = 16
  /// The time after which a series may lose its mark, in seconds: longer than a request with a number
  /// can be under way, so that the series has no outcome with a higher number than later ones.
  static let retention: Int64 = 600

  private(set) var marks: [Mark] = []
  /// Whether outcomes may exist of a series that has no mark.
  private(set) var isPartial = false

  /// Creates the marks of a history without numbered keys.
  init() {}

  /// The marks of a history whose outcomes are not known.
  static var unknown: NumberMarks {
    var marks = NumberMarks()
    marks.isPartial = true
    return marks
  }

  /// Whether a history with these marks has no outcome of a key; `false` if that is not known.
  func excludes(_ name: String) -> Bool {
    guard let key = IdempotencyKey.number(in: name) else { return false }
    guard let mark = marks.first(where: { $0.series == key.series }) else { return !isPartial }
    return key.number > mark.number
  }

  /// Adds the outcomes of a message.
  mutating func add(_ outcomes: [StoredOutcome]) {
    for outcome in outcomes {
      guard let key = IdempotencyKey.number(in: outcome.key.name) else { continue }
      add(key.number, of: key.series, at: outcome.at.milliseconds / 1_000)
    }
  }

  private mutating func add(_ number: UInt64, of series: Substring, at time: Int64) {
    if let index = marks.firstIndex(where: { $0.series == series }) {
      marks[index].number = max(marks[index].number, number)
      marks[index].at = max(marks[index].at, time)
      return
    }
    if marks.count == Self.limit {
      isPartial = true
      let oldest = marks.indices.min { marks[$0].at < marks[$1].at } ?? 0
      guard marks[oldest].at < time - Self.retention else { return }
      marks.remove(at: oldest)
    }
    marks.append(Mark(series: String(series), number: number, at: time))
  }

  // MARK: JSON

  /// Appends the marks: `1` if they are partial, else `0`, then series, number and age in seconds of each.
  func put(into text: inout [UInt8], at time: Int64) {
    text.put(isPartial ? "[1" : "[0")
    for mark in marks {
      text.put(",[", string: mark.series)
      text.put(",", mark.number)
      text.put(",", time / 1_000 - mark.at)
      text.put("]")
    }
    text.put("]")
  }

  /// Reads marks; `nil` for other JSON.
  init?(_ json: JSONElement, at time: Int64) {
    guard let elements = json.elements, let first: Int = elements.first?.integer() else {
      return nil
    }
    isPartial = first != 0
    for element in elements.dropFirst() {
      guard marks.count < Self.limit, let series = element[0]?.string,
        let number = element[1]?.integer(as: UInt64.self),
        let age = element[2]?.integer(as: Int64.self)
      else { return nil }
      // Wrapping: a damaged message must not trap.
      marks.append(Mark(series: series, number: number, at: time / 1_000 &- age))
    }
  }
}
