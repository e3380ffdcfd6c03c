import Foundation
import Glibc
import Synchronization

/// A proxy that delivers bytes in pieces of its own choice, late, and cuts every connection after some
/// time.
///
/// Half of its connections buffer what the server sends: several responses or events arrive together.
final class FaultyProxy: Sendable {
  let port: UInt16
  private let listener: Int32
  private let target: UInt16
  private let cuts = Atomic(0)
  /// The microseconds for which a buffering connection collects bytes.
  private static let bufferingTime: UInt32 = 100_000

  /// The number of connections that were cut.
  var cutCount: Int { cuts.load(ordering: .relaxed) }

  /// Starts a proxy in front of a port.
  init(to target: UInt16) throws {
    self.target = target
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) + listen(socket, 128) + getsockname(socket, $0, &size)
      }
    }
    guard failed == 0 else { throw WireError.notConnected(errno: errno) }
    port = UInt16(bigEndian: address.sin_port)
    listener = socket
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(socket, nil, nil)
        guard client >= 0, let self else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        relay(client)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func relay(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = target.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let ends = Ends([client, server])
    guard status == 0 else { return ends.cut() }
    let budget = Int.random(in: 1500...6000)
    let bufferingTime = Bool.random() ? Self.bufferingTime : 0
    Thread.detachNewThread { [self] in copy(client, server, budget, ends) }
    Thread.detachNewThread { [self] in copy(server, client, budget, ends, bufferingTime) }
  }

  /// Copies bytes until the budget is spent: then the connection is cut, in the middle of anything.
  private func copy(
    _ source: Int32, _ sink: Int32, _ budget: Int, _ ends: Ends, _ bufferingTime: UInt32 = 0
  ) {
    var left = budget
    var bytes = [UInt8](repeating: 0, count: 4096)
    while left > 0 {
      // The kernel holds the bytes meanwhile, and the next read returns all of them.
      if bufferingTime > 0 { usleep(bufferingTime) }
      let count = read(source, &bytes, min(bytes.count, left))
      guard count > 0 else { break }
      left -= count
      usleep(UInt32.random(in: 0...3000))
      var rest = bytes[..<count]
      while !rest.isEmpty {
        let piece = bufferingTime > 0 ? rest.count : Int.random(in: 1...200)
        let size = rest.withUnsafeBytes {
          send(sink, $0.baseAddress, min($0.count, piece), Int32(MSG_NOSIGNAL))
        }
        guard size > 0 else { return ends.cut() }
        rest = rest.dropFirst(size)
      }
    }
    if left == 0 { cuts.add(1, ordering: .relaxed) }
    ends.cut()
  }

  /// The two sockets of a connection, closed when both threads have left them.
  private final class Ends: Sendable {
    private let sockets: [Int32]

    init(_ sockets: [Int32]) {
      self.sockets = sockets
    }

    func cut() {
      for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    deinit {
      for socket in sockets { close(socket) }
    }
  }
}
