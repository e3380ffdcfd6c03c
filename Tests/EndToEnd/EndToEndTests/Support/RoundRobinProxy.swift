import Foundation
import Glibc
import Synchronization
import TestSupport

/// A proxy that forwards each connection to the next of several services, and skips a service that
/// does not accept it.
final class RoundRobinProxy: Sendable {
  let port: UInt16
  private let listener: Int32
  private let targets: Mutex<[UInt16]>
  private let next = Atomic<Int>(0)

  init(_ targets: [UInt16]) throws {
    self.targets = Mutex(targets)
    let (descriptor, port) = try LoopbackSocket.listening(backlog: 512)
    (listener, self.port) = (descriptor, port)
    let connect = connect
    Thread.detachNewThread {
      while let client = LoopbackSocket.accept(from: descriptor) {
        guard let server = connect() else {
          close(client)
          continue
        }
        Self.connect(client, server)
      }
    }
  }

  deinit {
    // Wakes the accepting thread from `accept`: `close` alone does not.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Stops to forward connections to a service; open connections remain.
  func remove(_ target: UInt16) { targets.withLock { $0.removeAll { $0 == target } } }

  /// Starts to forward connections to a service.
  func add(_ target: UInt16) { targets.withLock { $0.append(target) } }

  /// Connects an accepted connection to the next service.
  func adopt(_ client: Int32) {
    guard let server = connect() else {
      close(client)
      return
    }
    Self.connect(client, server)
  }

  /// Connects to the next service that accepts.
  private var connect: @Sendable () -> Int32? {
    { [weak self] in
      let targets = self?.targets.withLock { $0 } ?? []
      for _ in targets {
        guard let self else { return nil }
        let number = next.add(1, ordering: .relaxed).newValue
        let target = targets[number % targets.count]
        if let server = try? LoopbackSocket.connected(to: target) { return server }
      }
      return nil
    }
  }

  /// Copies both directions, each on a thread of its own.
  ///
  /// The last thread closes both sockets.
  private static func connect(_ client: Int32, _ server: Int32) {
    var noDelay: Int32 = 1
    for end in [client, server] {
      setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4)
    }
    let pair = SocketPair(client, server)
    for (from, to) in [(client, server), (server, client)] {
      Thread.detachNewThread {
        withExtendedLifetime(pair) { copy(from, to) }
      }
    }
  }

  private static func copy(_ from: Int32, _ to: Int32) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(from, &bytes, bytes.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0, LoopbackSocket.send(bytes[..<count], to: to) else { break }
    }
    // Forward the end of this direction only: a client that has sent everything can still read.
    shutdown(to, Int32(SHUT_WR))
    shutdown(from, Int32(SHUT_RD))
  }
}
