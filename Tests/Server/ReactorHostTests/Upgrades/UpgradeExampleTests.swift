import Foundation
import LogTestSupport
import ReactorHost
import Testing

/// The example of the article "Reading what earlier releases stored".
@Suite struct UpgradeExampleTests {
  private let log = MemoryLog()

  @Test func `the article quotes the file that is compiled`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let code = try String(
      contentsOf: tests.appending(path: "UpgradeExample.swift"), encoding: .utf8)
    let article = try String(
      contentsOf: tests.appending(
        path: "../../../../Sources/Server/ReactorHost/Documentation.docc/UpgradingStoredData.md"),
      encoding: .utf8)
    #expect(article.contains("```swift\n\(code)```\n"))
  }

  @Test func `the second release reads the log of the first one`() throws {
    let mutations = [
      #"{"put":{"id":"a","title":"Tea"}}"#, #"{"remind":{"id":"a"}}"#, #"{"dropped":"a"}"#,
      #"{"remind":{"card":"a","times":2}}"#,
    ]
    let entries = mutations.enumerated().map {
      LogEntry(version: $0.offset + 1, at: .now, action: nil, mutation: Array($0.element.utf8))
    }
    let session = log.session(SessionKey(reactor: "board", id: "demo"))
    session.append(LogBatch(entries), to: "epoch", expecting: 0) { _ in }
    #expect(
      try Host([Board.registration], log: log).open("board", "demo").shown
        == #"4 {"cards":[{"id":"a","name":"Tea","labels":[]}],"reminders":3}"#)
  }
}
