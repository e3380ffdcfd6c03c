import ReactorLog
import Testing

struct RetentionTests {
  @Test(arguments: [
    ("all", 1000), ("30d", 1000), ("10", 100), ("100", 100), ("400", 400), ("10000", 1000),
    ("all,chat=250", 250), ("500,chat=all", 500), ("30d,chat=1", 100),
  ])
  func `snapshots are as frequent as the shortest retained log needs`(
    text: String, interval: Int
  ) throws {
    #expect(try #require(RetentionRules(text)).snapshotInterval(atMost: 1000) == interval)
  }
}
