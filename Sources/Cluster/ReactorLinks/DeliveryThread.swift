internal import Synchronization
internal import SystemThreads

/// A thread that passes what has arrived to the node, so that the node cannot delay the sockets.
final class DeliveryThread: Sendable {
  private struct Delivery: Sendable {
    let size: Int
    let call: @Sendable () -> Void
  }

  /// The number of bytes that may wait before the bus stops to read.
  private static let bound = 64 << 20

  private let inbox = BlockingInbox<Delivery>()
  private let waiting = Atomic<Int>(0)

  /// Starts the thread, or returns `nil` if the system cannot create one.
  init?(named name: String) {
    let thread = SystemThread(named: name) { [self] in
      while let deliveries = inbox.receive(waiting: 3_600) {
        for delivery in deliveries {
          delivery.call()
          waiting.subtract(delivery.size, ordering: .relaxed)
        }
      }
    }
    guard thread != nil else { return nil }
  }

  var isFull: Bool { waiting.load(ordering: .relaxed) >= Self.bound }

  /// Calls a function after those before it.
  ///
  /// - Parameters:
  ///   - size: The bytes that the function retains.
  ///   - call: The function.
  func deliver(_ size: Int, _ call: @escaping @Sendable () -> Void) {
    waiting.add(size, ordering: .relaxed)
    _ = inbox.send(Delivery(size: size, call: call))
  }

  func close() { inbox.close() }
}
