import Foundation
import Glibc
import PostgresServers
import TestSupport

/// A proxy before one service, as a network between the service and its clients that can be cut.
final class CuttableProxy: Sendable {
  let port: UInt16
  private let listener: Int32
  private let isCut = Watched(false)

  /// Starts a proxy in front of a port of this machine.
  convenience init(to target: UInt16) throws {
    try self.init { try? LoopbackSocket.connected(to: target) }
  }

  /// Starts a proxy in front of a server of this process.
  convenience init(to server: PostgresServer) throws {
    let path = server.socket
    try self.init { try? LoopbackSocket.connected(toPath: path) }
  }

  private init(connecting connect: @escaping @Sendable () -> Int32?) throws {
    let (descriptor, port) = try LoopbackSocket.listening(backlog: 512)
    (listener, self.port) = (descriptor, port)
    Thread.detachNewThread { [isCut] in
      while let client = LoopbackSocket.accept(from: descriptor) {
        Thread.detachNewThread { Self.relay(client, connect, isCut) }
      }
    }
  }

  deinit {
    mend()
    // Wakes the accepting thread from `accept`: `close` alone does not.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Stops to forward: connections, also new ones, stay open, and their bytes and ends arrive nowhere.
  func cut() { isCut.change { $0 = true } }

  /// Forwards again, first what was sent meanwhile.
  func mend() { isCut.change { $0 = false } }

  private static func relay(
    _ client: Int32, _ connect: () -> Int32?, _ isCut: Watched<Bool>
  ) {
    wait(isCut)
    guard let server = connect() else {
      close(client)
      return
    }
    var noDelay: Int32 = 1
    for end in [client, server] {
      setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4)
    }
    let ends = SocketPair(client, server)
    Thread.detachNewThread { copy(client, server, ends, isCut) }
    copy(server, client, ends, isCut)
  }

  private static func copy(
    _ source: Int32, _ sink: Int32, _ ends: SocketPair, _ isCut: Watched<Bool>
  ) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(source, &bytes, bytes.count, 0)
      if count < 0, errno == EINTR { continue }
      wait(isCut)
      guard count > 0, LoopbackSocket.send(bytes[..<count], to: sink) else { return ends.cut() }
    }
  }

  private static func wait(_ isCut: Watched<Bool>) {
    _ = isCut.first(within: .seconds(3600)) { $0 ? nil : () }
  }
}
