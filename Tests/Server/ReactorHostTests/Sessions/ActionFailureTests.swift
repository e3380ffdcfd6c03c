import ReactorCore
import ReactorLog
import Testing

@testable import ReactorHost

struct ActionFailureTests {
  private struct LongError: ActionError {
    let text: String
    var status: Int { 409 }
    var title: String { text }
    var detail: String? { text }
  }

  @Test(arguments: [
    (4096, "a", 4096), (4097, "a", 4096), (100_000, "a", 4096), (2049, "é", 4096),
    (1366, "€", 4095), (1025, "😀", 4096),
  ])
  func `the texts of an error are cut at a character`(
    _ count: Int, _ character: Character, _ size: Int
  ) {
    let text = String(repeating: character, count: count)
    let reason = ActionFailure(index: nil, LongError(text: text)).reason
    let size = size / String(character).utf8.count
    #expect(reason?.title == String(repeating: character, count: size))
    #expect(reason?.detail == reason?.title)
  }

  @Test func `a part of a character is not stored`() {
    let text = String(repeating: "a", count: 4094) + "😀"
    let reason = ActionFailure(index: nil, LongError(text: text)).reason
    #expect(reason?.title == String(repeating: "a", count: 4094))
  }
}
