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

  /// Returns a search that has read the given outcomes, one per message; `before` earlier messages
  /// are unread.
  private func search(_ read: StoredOutcome..., before: Int = 0) -> OutcomeSearch {
    var (head, messages): (SessionHead, [LogMessage]) = (SessionHead(), [])
    for number in 0..<before + read.count {
      let outcomes = [number < before ? outcome("\(number)") : read[number - before]]
      let message = head.appending(LogBatch(outcomes: outcomes), to: "e", now: .now)
      messages.append(message)
      head = SessionHead(message, at: number + 1, by: nil)
    }
    var search = OutcomeSearch(of: head, bound: 100, firstStep: read.count)
    #expect(search.takeNext().map(\.position.sequence) == Array(before + 1...before + read.count))
    search.add(Array(messages[before...]), since: 0)
    return search
  }

  @Test func `the outcomes that a session in memory has committed are bounded`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: SessionHead())
    let bound = MemoryOutcomes.bound
    for number in 0...bound { outcomes.add(outcome("\(number)"), retaining: 60_000) }
    #expect(outcomes.known("0", at: 0) == .some(nil))
    #expect(outcomes.known("1", at: 0)??.key.name == "1")
    #expect(outcomes.known("\(bound)", at: 0)??.key.name == "\(bound)")
  }

  @Test func `without earlier outcomes nothing is read`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: SessionHead())
    #expect(outcomes.missing(for: "a") == nil && outcomes.known("a", at: 0) == .some(nil))
  }

  @Test func `the hashes of earlier keys exclude other keys, and the outcomes decide`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: head("a", "b"))
    #expect(outcomes.missing(for: "a") == .keys)
    #expect(outcomes.known("a", at: 0) == nil && outcomes.known("c", at: 0) == nil)
    outcomes.didRead(hashes("a", "b"), for: outcomes.generation)
    #expect(outcomes.missing(for: "a") == .outcomes)
    #expect(outcomes.known("a", at: 0) == nil && outcomes.known("c", at: 0) == .some(nil))
    outcomes.add(outcome("c", version: 7), retaining: 60_000)
    #expect(outcomes.known("c", at: 0)??.version == 7)
    outcomes.didRead(search(outcome("a", version: 3)), for: outcomes.generation)
    #expect(outcomes.missing(for: "a") == nil)
    #expect(outcomes.known("a", at: 0)??.version == 3 && outcomes.known("b", at: 0) == .some(nil))
    #expect(outcomes.known("c", at: 0)??.version == 7)
  }

  @Test func `hashes that the log does not have are not read again`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: head("a"))
    outcomes.didRead(nil as KeyHashes?, for: outcomes.generation)
    #expect(outcomes.missing(for: "c") == .outcomes && outcomes.known("c", at: 0) == nil)
  }

  @Test func `an outcome is known before the earlier ones are read`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: head("0", "1", "a"))
    outcomes.didRead(hashes("0", "1", "a"), for: outcomes.generation)
    outcomes.didRead(search(outcome("a", version: 3), before: 2), for: outcomes.generation)
    #expect(outcomes.known("a", at: 0)??.version == 3)
    #expect(outcomes.known("1", at: 0) == nil && outcomes.missing(for: "1") == .outcomes)
    #expect(outcomes.known("c", at: 0) == .some(nil))
  }

  @Test func `the hashes are not read for a numbered key, which has none`() {
    let name = IdempotencyKey(numbered: 7, of: "n2.77aa").name
    var outcomes = SessionOutcomes()
    outcomes.begin(after: head("a", name))
    #expect(outcomes.missing(for: name) == .outcomes && outcomes.missing(for: "a") == .keys)
  }

  @Test func `the result of a read that began before another end of the log is not used`() {
    var outcomes = SessionOutcomes()
    outcomes.begin(after: head("a"))
    let generation = outcomes.generation
    outcomes.begin(after: head("a", "b"))
    outcomes.didRead(hashes("a"), for: generation)
    outcomes.didRead(search(outcome("a")), for: generation)
    #expect(outcomes.missing(for: "b") == .keys && outcomes.known("b", at: 0) == nil)
    outcomes.clear()
    #expect(outcomes.known("b", at: 0) == .some(nil))
    outcomes.didRead(search(outcome("b")), for: generation)
    #expect(outcomes.known("b", at: 0) == .some(nil))
  }
}
