internal import Glibc

/// A request that a command makes of a daemon.
struct ClientRequest {
  /// An answer with its whole body.
  struct Answer {
    let head: AnswerParser.Head
    let body: [UInt8]
  }

  /// What is read of one answer at most.
  private static let bodyLimit = 67_108_864

  let method: String
  let address: ListenAddress
  let path: String
  var fields: [(name: String, value: String)] = []
  var body: [UInt8]?

  /// The bytes to send; the server closes when it has answered.
  var bytes: [UInt8] {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + (body ?? [])
  }

  /// Sends it and waits for the whole answer.
  func perform(patience: Int) throws(ClientSocket.Failure) -> Answer {
    let socket = try ClientSocket(to: address, patience: patience)
    try socket.send(bytes)
    var parser = AnswerParser()
    var body: [UInt8] = []
    while !parser.isComplete {
      let received = try socket.receive()
      do {
        body += try parser.read(received)
      } catch {
        throw ClientSocket.Failure(reason: "\(address) did not answer in HTTP")
      }
      guard body.count <= Self.bodyLimit else {
        throw ClientSocket.Failure(reason: "\(address) answered with too much")
      }
      if received.isEmpty, !parser.close() {
        throw ClientSocket.Failure(reason: "\(address) broke off its answer")
      }
    }
    guard let head = parser.head else {
      throw ClientSocket.Failure(reason: "\(address) did not answer in HTTP")
    }
    return Answer(head: head, body: body)
  }

  /// Waits a little longer before each attempt, and not for as long as everybody else.
  static func pause(before attempt: Int) {
    let longest = Double(min(1 << min(attempt, 5), 16)) / 2
    usleep(UInt32(Double.random(in: longest / 2...longest) * 1_000_000))
  }
}
