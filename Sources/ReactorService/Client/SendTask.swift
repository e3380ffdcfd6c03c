internal import Glibc
internal import ReactorCoding

/// `reactord send URL ACTION`: one action, and the State that came of it.
public struct SendTask: Equatable, Sendable {
  /// What is sent, and where.
  let session: SessionURL
  let action: Action
  /// How long to wait for its effect, in seconds; `nil` leaves it to the daemon.
  let wait: Int?

  /// Where the action comes from.
  enum Action: Equatable, Sendable {
    case text(String)
    case standardInput
  }

  /// The JSON of what somebody wrote: a word alone is the name of a case.
  ///
  /// `increase` is `"increase"`, which a shell would strip of its quotes. What is JSON stays what it is,
  /// and what is neither is left to the daemon to refuse.
  static func json(of text: String) -> [UInt8] {
    let isName =
      text.utf8.first.map { !(0x30...0x39).contains($0) } == true
      && text.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
        default: false
        }
      }
    guard isName, !["true", "false", "null"].contains(text) else { return Array(text.utf8) }
    return Array("\"\(text)\"".utf8)
  }

  /// How often it is tried where no answer comes, and for how long each answer is waited for.
  private static let attempts = 5
  private static let patience = 120

  /// Sends the action until it is answered, and says what the answer was.
  ///
  /// Each attempt has the same `Idempotency-Key`: the action runs once.
  ///
  /// - Throws: What the daemon had against it, or that it did not answer.
  func run() throws(ConfigurationError) {
    var request = ClientRequest(
      method: "POST", address: session.address, path: session.path + "/actions",
      fields: [
        ("Content-Type", "application/json"), ("Idempotency-Key", Self.randomKey()),
      ])
    if let wait { request.fields.append(("Prefer", "wait=\(wait)")) }
    switch action {
    case .text(let text): request.body = Self.json(of: text)
    case .standardInput: request.body = try Self.standardInput()
    }
    var failure = ""
    for attempt in 0..<Self.attempts {
      if attempt > 0 { ClientRequest.pause(before: attempt) }
      let answer: ClientRequest.Answer
      do {
        answer = try request.perform(patience: Self.patience)
      } catch {
        failure = error.reason
        continue
      }
      let problem = ToldProblem(status: answer.head.status, body: answer.body)
      guard problem.isPassing else { return try tell(answer) }
      failure = problem.text
    }
    throw ConfigurationError(message: failure, exitCode: 69)  // EX_UNAVAILABLE
  }

  private func tell(_ answer: ClientRequest.Answer) throws(ConfigurationError) {
    let status = answer.head.status
    guard (200..<300).contains(status) else {
      throw ConfigurationError(
        message: ToldProblem(status: status, body: answer.body).text, exitCode: EXIT_FAILURE)
    }
    let output = StandardOutput()
    try output.write(answer.body + [UInt8(ascii: "\n")])
    try output.flush()
    if status == 202 {
      StandardError.write(Array("reactord: accepted; the effect runs on\n".utf8))
    }
  }

  private static func standardInput() throws(ConfigurationError) -> [UInt8] {
    let lines = InputLines()
    var bytes: [UInt8] = []
    while let line = try lines.next() { bytes += line + [UInt8(ascii: "\n")] }
    return bytes
  }

  private static func randomKey() -> String {
    (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined(separator: "-")
  }
}
