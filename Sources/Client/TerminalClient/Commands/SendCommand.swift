internal import ClientCore

/// `reactord send URL ACTION`: sends an action and prints the resulting State.
public struct SendCommand: Equatable, Sendable {
  let session: SessionURL

  let action: Action

  /// How long to wait for the effect, in seconds; `nil` uses the default of the server.
  let wait: Int?

  /// The fields of its requests.
  let fields: RequestFields

  /// The source of the action.
  package enum Action: Equatable, Sendable {
    case text(String)
    case standardInput
  }

  /// Creates the command.
  package init(session: SessionURL, action: Action, wait: Int?, fields: RequestFields) {
    self.session = session
    self.fields = fields
    self.action = action
    self.wait = wait
  }

  /// Returns the JSON of an action on the command line.
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

  private static let attempts = 5

  /// Sends the action, with retries while the server is unavailable, and prints the response.
  ///
  /// All attempts have the same `Idempotency-Key`, so that the action is executed once.
  ///
  /// - Throws: A failure if the server rejects the action or cannot be reached.
  package func execute() throws(CommandFailure) {
    let body =
      switch action {
      case .text(let text): Self.json(of: text)
      case .standardInput: try Self.standardInput()
      }
    let start = ContinuousClock.now
    let transfers = Transfers(to: session.origin)
    var queue = ActionQueue(bound: 1)
    _ = queue.append(
      PendingAction(
        id: 1, key: Self.randomKey(), body: body, expecting: .limited, wantsState: true,
        isAwaited: false, wait: wait))
    for _ in 0..<Self.attempts {
      if let deadline = queue.deadline { pause(deadline - (ContinuousClock.now - start)) }
      guard let (action, _) = queue.next(now: queue.deadline ?? .zero) else { break }
      var request = action.request(path: session.path)
      try fields.add(to: &request)
      let attempt: ActionQueue.Attempt
      do throws(ConnectionFailure) {
        attempt = .response(try transfers.response(to: request))
      } catch {
        attempt = .failure(error.problem)
      }
      let now = ContinuousClock.now - start
      switch queue.ended(action.id, attempt, now: now) {
      case .success(let response): return try print(response)
      case .failure(let problem):
        throw problem.status == 0
          ? .unavailable(problem.detail ?? problem.title) : .rejected(Self.text(of: problem))
      case nil: break
      }
    }
    let problem = queue.problem
    throw .unavailable(
      (problem?.status == 0 ? problem?.detail : problem?.description) ?? "there was no response")
  }

  /// Returns the description of a rejection with its status and, of a reactor's error, its code.
  private static func text(of problem: Problem) -> String {
    let code = problem.code.map { ", code \($0)" } ?? ""
    return "\(problem) (\(problem.status)\(code))"
  }

  private func print(_ response: TransportResponse) throws(CommandFailure) {
    let output = StandardOutput()
    // A client that may not read the session gets no State.
    if !response.body.isEmpty { try output.write(response.body + [UInt8(ascii: "\n")]) }
    try output.flush()
    if response.head.status == 202 {
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
