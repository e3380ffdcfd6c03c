import ClientCore
import CurlTransport
import Testing

@testable import TerminalClient

/// The connections of `reactord watch` and `changes`.
@Suite(.timeLimit(.minutes(60))) struct StreamRunnerTests {
  @Test func `a stream is silent as soon as its machine does not wait any longer`() throws {
    let socket = try ListeningSocket()
    defer { socket.close() }
    socket.serveOnce("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", isSilent: true)
    var outputs: [ImpatientMachine.Output] = []
    let runner = StreamRunner(
      ImpatientMachine(), to: HTTPOrigin(socket.address), adding: try RequestFields()
    ) {
      (_, output) throws(CommandFailure) in
      outputs.append(output)
      return []
    }
    try runner.executeUntilIdle { $0.begin(now: $1) }
    #expect(outputs == [.silent])
  }
}

/// A machine that waits an hour for the head of a stream, and 50 ms for the bytes after it.
private struct ImpatientMachine: StreamReading {
  enum Output: Sendable {
    case open
    case silent
  }

  private(set) var deadline: Duration?

  static func step(of output: Output) -> StreamStep? {
    output == .open ? .open(TransportRequest("GET", "a"), stream: 1) : nil
  }

  mutating func begin(now: Duration) -> [Output] {
    deadline = now + .seconds(3600)
    return [.open]
  }

  mutating func wake(now: Duration) -> [Output] {
    guard let deadline, now >= deadline else { return [] }
    self.deadline = nil
    return [.silent]
  }

  mutating func opened(stream: Int, _ head: TransportHead, now: Duration) -> [Output] {
    deadline = now + .milliseconds(50)
    return []
  }

  mutating func rejected(stream: Int, _ response: TransportResponse, now: Duration) -> [Output] {
    []
  }

  mutating func received(stream: Int, _ bytes: ArraySlice<UInt8>, now: Duration) -> [Output] { [] }

  mutating func closed(stream: Int, _ problem: Problem?, now: Duration) -> [Output] { [] }

  mutating func credentialRejected(stream: Int, now: Duration) -> [Output] { [] }
}
