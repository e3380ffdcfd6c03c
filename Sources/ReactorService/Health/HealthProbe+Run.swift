extension HealthProbe {
  /// Why a daemon counts as not healthy.
  struct Failure: Error, Equatable {
    let reason: String
  }

  /// Asks, and returns when the answer was 200.
  ///
  /// It blocks: for the time of each system call at most `patience` seconds.
  func run(patience: Int = 3) throws(Failure) {
    let answer: [UInt8]
    do {
      let socket = try ClientSocket(to: address, patience: patience)
      try socket.send(request)
      answer = try head(from: socket)
    } catch {
      throw Failure(reason: error.reason)
    }
    guard let status = Self.status(of: answer) else {
      throw Failure(reason: "\(address) did not answer in HTTP")
    }
    guard status == 200 else { throw Failure(reason: "\(address)\(path) answered \(status)") }
  }

  // The status line is all that is wanted: some hundred bytes hold it, or it is none.
  private func head(from socket: ClientSocket) throws(ClientSocket.Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < 1_024, !bytes.contains(0x0A) {
      let received = try socket.receive()
      if received.isEmpty { break }
      bytes += received
    }
    return bytes
  }
}
