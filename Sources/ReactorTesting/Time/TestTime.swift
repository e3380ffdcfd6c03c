/// A moment or a length of virtual time, in ticks of one millisecond.
public typealias TestTime = Int

extension Duration {
  static func ticks(_ count: TestTime) -> Duration {
    .milliseconds(count)
  }

  var ticks: TestTime {
    TestTime(clamping: attoseconds / Duration.ticks(1).attoseconds)
  }
}
