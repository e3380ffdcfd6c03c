internal import ClientCore

/// `reactord send URL ACTION`: sends an action and prints the resulting State.
public struct SendCommand: Equatable, Sendable {
  /// The session.
  let session: SessionURL

  /// The action.
  let action: Action

  /// How long to wait for the effect, in seconds; `nil` uses the default of the server.
  let wait: Int?

  /// The source of the action.
  package enum Action: Equatable, Sendable {
    case text(String)
    case standardInput
  }

  /// Creates the command.
  package init(session: SessionURL, action: Action, wait: Int?) {
    self.session = session
    self.action = action
    self.wait = wait
  }

  /// The JSON of an action given on the command line.
  ///
  /// A single word is the name of a case, because a shell strips the quotes of `"increase"`. Other text
  /// is sent as it is, and the server rejects it if it is not JSON.
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

  /// The number of attempts, and the time limit of each system call in seconds.
  private static let attempts = 5
  private static let timeout = 120

  /// Sends the action, with retries while the server is unavailable, and prints the response.
  ///
  /// All attempts have the same `Idempotency-Key`, so that the action is executed once.
  ///
  /// - Throws: A failure if the server rejects the action or cannot be reached.
  package func run() throws(CommandFailure) {
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
    var schedule = RetrySchedule()
    for attempt in 0..<Self.attempts {
      if attempt > 0 { schedule.pause() }
      let response: ClientRequest.Response
      do {
        response = try request.response(timeout: Self.timeout)
      } catch {
        failure = error.reason
        continue
      }
      let problem = Problem(status: response.head.status, body: response.body)
      guard problem.isTransient else { return try print(response, problem) }
      failure = problem.description
    }
    throw .unavailable(failure)
  }

  private func print(
    _ response: ClientRequest.Response, _ problem: Problem
  ) throws(CommandFailure) {
    let status = response.head.status
    guard (200..<300).contains(status) else { throw .rejected(problem.description) }
    let output = StandardOutput()
    try output.write(response.body + [UInt8(ascii: "\n")])
    try output.flush()
    if status == 202 {
      StandardError.write(Array("reactord: accepted; the effect is still running\n".utf8))
    }
  }

  private static func standardInput() throws(CommandFailure) -> [UInt8] {
    let lines = InputLines()
    var bytes: [UInt8] = []
    while let line = try lines.next() { bytes += line + [UInt8(ascii: "\n")] }
    return bytes
  }

  private static func randomKey() -> String {
    (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined(separator: "-")
  }
}
