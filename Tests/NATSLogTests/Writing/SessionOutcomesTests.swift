import ReactorLog
import Testing

@testable import NATSLog

struct SessionOutcomesTests {
  private func outcome(_ name: String, version: Int = 1) -> StoredOutcome {
    StoredOutcome(
      key: IdempotencyKey(stored: name, body: ""), at: Timestamp(milliseconds: 1_000),
      version: version, failure: nil)
  }

  private func head(_ names: String...) -> SessionHead {
    let batch = LogBatch(outcomes: names.map { outcome($0) })
    return SessionHead(SessionHead().appending(batch, to: "e", now: .now), at: 1, by: nil)
  }

  private func hashes(_ names: String...) -> KeyHashes {
    var hashes = KeyHashes()
    hashes.add(names.map { outcome($0) })
    return hashes
  }

  @Test func `the outcomes that a session in memory has committed are bounded`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: SessionHead())
    let bound = MemoryOutcomes.bound
    for number in 0...bound { outcomes.add(outcome("\(number)"), retaining: 60_000) }
    #expect(outcomes.known("0") == .some(nil))
    #expect(outcomes.known("1")??.key.name == "1")
    #expect(outcomes.known("\(bound)")??.key.name == "\(bound)")
  }

  @Test func `without earlier outcomes nothing is read`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: SessionHead())
    #expect(outcomes.missing == nil && outcomes.known("a") == .some(nil))
  }

  @Test func `the hashes of earlier keys exclude other keys, and the outcomes decide`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: head("a", "b"))
    #expect(outcomes.missing == .keys && outcomes.known("a") == nil && outcomes.known("c") == nil)
    outcomes.didRead(hashes("a", "b"), for: outcomes.generation)
    #expect(outcomes.missing == .outcomes)
    #expect(outcomes.known("a") == nil && outcomes.known("c") == .some(nil))
    outcomes.add(outcome("c", version: 7), retaining: 60_000)
    #expect(outcomes.known("c")??.version == 7)
    outcomes.didRead(["a": outcome("a", version: 3)], for: outcomes.generation)
    #expect(outcomes.missing == nil)
    #expect(outcomes.known("a")??.version == 3 && outcomes.known("b") == .some(nil))
    #expect(outcomes.known("c")??.version == 7)
  }

  @Test func `hashes that the log does not have are not read again`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: head("a"))
    outcomes.didRead(nil as KeyHashes?, for: outcomes.generation)
    #expect(outcomes.missing == .outcomes && outcomes.known("c") == nil)
  }

  @Test func `the result of a read that began before another end of the log is not used`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: head("a"))
    let generation = outcomes.generation
    outcomes.begin(after: head("a", "b"))
    outcomes.didRead(hashes("a"), for: generation)
    outcomes.didRead(["a": outcome("a")], for: generation)
    #expect(outcomes.missing == .keys && outcomes.known("b") == nil)
    outcomes.clear()
    #expect(outcomes.known("b") == .some(nil))
    outcomes.didRead(["b": outcome("b")], for: generation)
    #expect(outcomes.known("b") == .some(nil))
  }
}
