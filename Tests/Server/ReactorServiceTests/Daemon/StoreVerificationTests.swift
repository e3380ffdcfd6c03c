import ReactorHost
import ReactorLog
import Testing

@testable import ReactorService

/// The results of `reactord log verify`.
struct StoreVerificationTests {
  private enum Kind: CaseIterable {
    case damaged, unreadable, impure, notReplayed
  }

  private let key = SessionKey(reactor: "board", id: "x")

  private func impure(_ cause: Impurity.Cause = .reduce) -> RefoldReport {
    var report = RefoldReport()
    report.impurity = Impurity(version: 7, cause, at: "/a", "1", "2")
    return report
  }

  @Test
  func
    `damage comes before unreadable sessions, these before impure reactors, these before others`()
  {
    let codes: [(Kind, Int32)] = [
      (.damaged, 65), (.unreadable, 4), (.impure, 3), (.notReplayed, 5),
    ]
    for subset in 0..<16 {
      let kinds = codes.indices.filter { subset & (1 << $0) != 0 }.map { codes[$0] }
      var verification = StoreVerification()
      for (kind, _) in kinds.reversed() {
        switch kind {
        case .damaged: verification.add(damage: ["page 3 is damaged"])
        case .unreadable:
          verification.add(key, .failure(.unreadable(version: 2, reason: "no"))) { false }
        case .impure: verification.add(key, .success(impure())) { false }
        case .notReplayed: verification.add(unhosted: "chat", sessions: 12)
        }
      }
      #expect(verification.result?.rawValue == kinds.first?.1)
      #expect(verification.findings.count == kinds.count)
    }
  }

  @Test func `a sound store has a sentence`() {
    var verification = StoreVerification()
    var report = RefoldReport()
    report.mutations = 5
    verification.add(key, .success(report)) { true }
    #expect(verification.result == nil)
    #expect(verification.sentence == "the store is sound")
    #expect((verification.sessions, verification.mutations) == (1, 5))
  }

  @Test func `the sentence of an impure reactor names its first session, version and both values`()
  {
    var verification = StoreVerification()
    for id in ["x", "y"] {
      verification.add(SessionKey(reactor: "board", id: id), .success(impure())) { false }
    }
    let prefix = "the store is sound, and the reactor \"board\" is not pure: board/x, version 7: "
    #expect(verification.sentence.hasPrefix(prefix))
    #expect(verification.sentence.hasSuffix("at \"/a\" 1 differs from 2"))
    #expect(!verification.sentence.contains("board/y"))
    #expect(verification.findings.count == 2)
  }

  @Test func `a snapshot that differs is damage only if entries have no checksum`() {
    for lacksChecksums in [true, false] {
      var verification = StoreVerification()
      verification.add(key, .success(impure(.snapshot))) { lacksChecksums }
      #expect(verification.result == (lacksChecksums ? .damaged : .impure))
      #expect(verification.findings.first?.contains("is not the fold of the log") == true)
    }
  }

  @Test func `an error that is not of this release is damage`() {
    var verification = StoreVerification()
    verification.add(key, .failure(.corrupt("version 3 does not match its checksum"))) { false }
    #expect(verification.result == .damaged)
  }
}
