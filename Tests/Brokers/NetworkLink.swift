import Foundation
import Glibc
import Synchronization

/// A TCP proxy in front of a port.
///
/// It stands for a network between two machines that can be interrupted.
///
/// During an interruption, connections stay open and bytes are delayed, like TCP segments that are
/// retransmitted later. Both ends detect the interruption only by their own timeouts.
public final class NetworkLink: Sendable {
  /// The port on loopback that stands for the target.
  public let port: UInt16

  private let listener: Int32
  private let gate = Gate()

  /// Listens in front of a port.
  ///
  /// The service behind the port can start later.
  ///
  /// - Parameter target: The port to which connections are forwarded.
  /// - Throws: If no port is free.
  public init(to target: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = LoopbackAddress(port: 0)
    guard address.use({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0,
      address.read({ getsockname(descriptor, $0, $1) }) == 0
    else {
      close(descriptor)
      throw Broker.Failure(description: "no port is free: \(errno)")
    }
    (listener, port) = (descriptor, address.port)
    Thread.detachNewThread { [gate] in Self.accept(descriptor, target, gate) }
  }

  deinit {
    gate.end()
    // Wakes the accepting thread, which closes the socket.
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Interrupts both directions: nothing passes, and nothing is rejected.
  public func interrupt() { gate.close() }

  /// Ends the interruption: delayed bytes are forwarded.
  public func restore() { gate.open() }

  private static func accept(_ listener: Int32, _ target: UInt16, _ gate: Gate) {
    while !gate.hasEnded {
      let client = Glibc.accept(listener, nil, nil)
      if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard client >= 0 else { break }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      Thread.detachNewThread { connect(client, target, gate) }
    }
    close(listener)
  }

  /// Connects a client to the target, and copies both directions until one of them ends.
  private static func connect(_ client: Int32, _ target: UInt16, _ gate: Gate) {
    gate.waitUntilOpen()
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = LoopbackAddress(port: target)
    let ends = SocketPair(client, server)
    guard address.use({ Glibc.connect(server, $0, $1) }) == 0 else { return }
    Thread.detachNewThread { ends.copy(from: server, to: client, through: gate) }
    ends.copy(from: client, to: server, through: gate)
  }
}

/// Blocks the threads of a link while it is interrupted.
private final class Gate: Sendable {
  private let condition = NSCondition()
  private let isOpen = Atomic(true)
  private let isOver = Atomic(false)

  /// Whether the link was released.
  var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  func close() { isOpen.store(false, ordering: .releasing) }

  func open() {
    condition.withLock {
      isOpen.store(true, ordering: .releasing)
      condition.broadcast()
    }
  }

  /// Opens the gate permanently.
  func end() {
    isOver.store(true, ordering: .releasing)
    open()
  }

  func waitUntilOpen() {
    guard !isOpen.load(ordering: .acquiring) else { return }
    condition.withLock {
      while !isOpen.load(ordering: .acquiring) { condition.wait() }
    }
  }
}

/// The two sockets of a forwarded connection.
///
/// They are closed with the object.
private final class SocketPair: Sendable {
  private let ends: [Int32]

  init(_ ends: Int32...) {
    self.ends = ends
    var noDelay: Int32 = 1
    for end in ends { setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4) }
  }

  deinit { for end in ends { close(end) } }

  /// Copies one direction until its source has closed.
  ///
  /// The other end sees the close once the gate is open.
  func copy(from source: Int32, to target: Int32, through gate: Gate) {
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
      while true {
        let count = recv(source, space.baseAddress, space.count, 0)
        if count < 0, errno == EINTR { continue }
        gate.waitUntilOpen()
        guard count > 0, send(UnsafeRawBufferPointer(rebasing: space[..<count]), to: target)
        else { break }
      }
    }
    shutdown(target, Int32(SHUT_WR))
    shutdown(source, Int32(SHUT_RD))
  }

  private func send(_ bytes: UnsafeRawBufferPointer, to target: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
      let count = Glibc.send(target, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}

/// An address on loopback for system calls.
private struct LoopbackAddress {
  private var address = sockaddr_in()

  init(port: UInt16) {
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  }

  var port: UInt16 { UInt16(bigEndian: address.sin_port) }

  mutating func use(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    read { body($0, $1.pointee) }
  }

  mutating func read(
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int32 {
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
    }
  }
}
