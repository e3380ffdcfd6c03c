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
  /// The time after which a series can lose its mark, in seconds.
  ///
  /// No request with a numbered key is in flight for that long. So later outcomes of the series
  /// have higher numbers than those before, and an outcome that is older than this time is not that
  /// of a request in flight.
  static let retention: Int64 = 600

  private(set) var marks: [Mark] = []
  /// The time of the latest outcome of a series without a mark, in seconds, or `nil` if there is none.
  private(set) var unmarkedAt: Int64?

  /// Creates the marks of a history without numbered keys.
  init() {}

  /// The marks of a history whose outcomes are not known; `time` is that of its latest message, in milliseconds.
  static func unknown(at time: Int64) -> NumberMarks {
    var marks = NumberMarks()
    marks.unmarkedAt = time / 1_000
    return marks
  }

  /// Whether a history with these marks has no outcome of the key of a request under way; `false` if that is
  /// not known.
  ///
  /// `now` is the time in milliseconds.
  func excludes(_ name: String, at now: Int64) -> Bool {
    guard let key = IdempotencyKey.number(in: name) else { return false }
    guard let mark = marks.first(where: { $0.series == key.series }) else {
      return unmarkedAt.map { $0 < now / 1_000 - Self.retention } ?? true
    }
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
      let oldest = marks.indices.min { marks[$0].at < marks[$1].at } ?? 0
      let isOld = marks[oldest].at < time - Self.retention
      let unmarked = isOld ? marks[oldest].at : time
      unmarkedAt = max(unmarkedAt ?? unmarked, unmarked)
      guard isOld else { return }
      marks.remove(at: oldest)
    }
    marks.append(Mark(series: String(series), number: number, at: time))
  }

  // MARK: JSON

  /// Appends the marks as a list.
  ///
  /// The first element is 1 plus the age, in seconds, of the latest outcome of a series without a
  /// mark; 0 if there is none, or if it is older than ``retention``. The others are the series, the
  /// number and the age of each mark.
  func put(into text: inout [UInt8], at time: Int64) {
    // Wrapping subtraction, as in ``init(_:at:)``: a damaged message can contain any age.
    let age = unmarkedAt.map { max(0, time / 1_000 &- $0) }
    text.put("[", age.map { $0 > Self.retention ? 0 : $0 + 1 } ?? 0)
    for mark in marks {
      text.put(",[", string: mark.series)
      text.put(",", mark.number)
      text.put(",", time / 1_000 &- mark.at)
      text.put("]")
    }
    text.put("]")
  }

  /// Reads marks, or returns `nil` for other JSON.
  init?(_ json: JSONElement, at time: Int64) {
    guard let elements = json.elements, let first = elements.first?.integer(as: Int64.self) else {
      return nil
    }
    // Wrapping: a damaged message must not trap. An earlier release wrote 1 for any age.
    unmarkedAt = first == 0 ? nil : time / 1_000 &- (first &- 1)
    for element in elements.dropFirst() {
      guard marks.count < Self.limit, let series = element[0]?.string,
        let number = element[1]?.integer(as: UInt64.self),
        let age = element[2]?.integer(as: Int64.self)
      else { return nil }
      marks.append(Mark(series: series, number: number, at: time / 1_000 &- age))
    }
  }
}
