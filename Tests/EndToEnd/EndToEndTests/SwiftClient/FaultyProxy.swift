import Foundation
import Glibc
import Synchronization
import TestSupport

/// A proxy that delivers bytes late and in pieces of random sizes, and cuts every connection after
/// a random number of bytes.
///
/// About half of its connections buffer the bytes of the server, so that several responses or
/// events arrive together.
final class FaultyProxy: Sendable {
  let port: UInt16
  private let listener: Int32
  private let target: UInt16
  private let cuts = Atomic(0)
  private let budgets: Mutex<ClosedRange<Int>>
  /// The time for which a buffering connection collects bytes, in microseconds.
  private static let bufferingTime: UInt32 = 100_000

  /// The number of connections that were cut.
  var cutCount: Int { cuts.load(ordering: .relaxed) }

  /// Starts a proxy in front of a port, which cuts a connection after a number of bytes in a range.
  init(to target: UInt16, after budgets: ClosedRange<Int> = 1500...6000) throws {
    self.target = target
    self.budgets = Mutex(budgets)
    let (listener, port) = try LoopbackSocket.listening()
    (self.listener, self.port) = (listener, port)
    Thread.detachNewThread { [weak self] in
      while let client = LoopbackSocket.accept(from: listener) {
        guard let self else {
          close(client)
          return
        }
        relay(client)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Sets the number of bytes after which later connections are cut.
  func cut(after budgets: ClosedRange<Int>) {
    self.budgets.withLock { $0 = budgets }
  }

  private func relay(_ client: Int32) {
    guard let server = try? LoopbackSocket.connected(to: target) else {
      close(client)
      return
    }
    let ends = SocketPair(client, server)
    let budget = Int.random(in: budgets.withLock { $0 })
    let bufferingTime = Bool.random() ? Self.bufferingTime : 0
    Thread.detachNewThread { [self] in copy(client, server, budget, ends) }
    Thread.detachNewThread { [self] in copy(server, client, budget, ends, bufferingTime) }
  }

  /// Copies `budget` bytes, and then cuts the connection, possibly in the middle of a message.
  private func copy(
    _ source: Int32, _ sink: Int32, _ budget: Int, _ ends: SocketPair, _ bufferingTime: UInt32 = 0
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
        let piece = rest.prefix(bufferingTime > 0 ? rest.count : Int.random(in: 1...200))
        guard LoopbackSocket.send(piece, to: sink) else { return ends.cut() }
        rest = rest.dropFirst(piece.count)
      }
    }
    if left == 0 { cuts.add(1, ordering: .relaxed) }
    ends.cut()
  }
}
