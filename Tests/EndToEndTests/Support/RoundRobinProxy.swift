import Foundation
import Glibc
import Synchronization

/// A proxy that passes each connection to the next of several services; one that does not accept it is
/// left out.
final class RoundRobinProxy: Sendable {
  let port: UInt16
  private let listener: Int32
  private let targets: [UInt16]
  private let next = Atomic<Int>(0)

  init(_ targets: [UInt16]) throws {
    self.targets = targets
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var bound: UInt16 = 0
    let status = Self.withAddress(port: 0) { address, size in
      var size = size
      guard bind(descriptor, address, size) == 0, listen(descriptor, 512) == 0 else { return -1 }
      return getsockname(descriptor, address, &size)
    } read: {
      bound = $0
    }
    guard status == 0 else { throw WireError.notConnected(errno: errno) }
    (listener, port) = (descriptor, bound)
    let connect = connect
    Thread.detachNewThread {
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        guard let server = connect() else {
          close(client)
          continue
        }
        Self.connect(client, server)
      }
    }
  }

  deinit {
    // Wakes the thread that accepts, which closes nothing else.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Connects to the next service that accepts.
  private var connect: @Sendable () -> Int32? {
    { [targets, weak self] in
      for _ in targets {
        guard let self else { return nil }
        let number = next.add(1, ordering: .relaxed).newValue
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let status = Self.withAddress(port: targets[number % targets.count]) {
          Glibc.connect(server, $0, $1)
        } read: { _ in
        }
        if status == 0 { return server }
        close(server)
      }
      return nil
    }
  }

  /// Copies both directions, each on a thread of its own; the last one closes both sockets.
  private static func connect(_ client: Int32, _ server: Int32) {
    var noDelay: Int32 = 1
    for end in [client, server] {
      setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4)
    }
    let pair = Pair(client, server)
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
      guard count > 0, send(all: bytes[..<count], to) else { break }
    }
    // A client that has sent everything may still read; a service that ends its connection has sent all.
    shutdown(to, Int32(SHUT_WR))
    shutdown(from, Int32(SHUT_RD))
  }

  private static func send(all bytes: ArraySlice<UInt8>, _ descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Two sockets, closed when both threads have ended.
  private final class Pair: Sendable {
    private let ends: [Int32]

    init(_ ends: Int32...) { self.ends = ends }

    deinit { for end in ends { close(end) } }
  }

  /// Calls a function with an address on loopback, and passes its port afterwards.
  private static func withAddress(
    port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32,
    read: (UInt16) -> Void
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    read(UInt16(bigEndian: address.sin_port))
    return status
  }
}
