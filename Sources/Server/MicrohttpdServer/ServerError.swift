/// An error that prevents a server from starting.
package struct ServerError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure; more may come.
  package struct Code: Hashable, Sendable {
    private enum Kind { case addressInUse, cannotBind, badAddress, alreadyStarted, noResources }
    private let kind: Kind

    /// Another socket listens on this address and port.
    package static var addressInUse: Code { Code(kind: .addressInUse) }

    /// The system rejected the address, for example for lack of permission.
    package static var cannotBind: Code { Code(kind: .cannotBind) }

    /// The host is not an IPv4 or IPv6 literal and not `localhost`, or the port is out of range.
    package static var badAddress: Code { Code(kind: .badAddress) }

    /// `start()` was called before; a server runs once.
    package static var alreadyStarted: Code { Code(kind: .alreadyStarted) }

    /// The process has no descriptors, memory or threads left.
    package static var noResources: Code { Code(kind: .noResources) }
  }

  /// The kind of failure.
  package var code: Code

  /// One sentence for the operator.
  package var message: String

  /// Creates an error.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  package var description: String { message }

  static var noDescriptors: ServerError {
    ServerError(.noResources, "The process has no file descriptors left.")
  }

  static var noThread: ServerError {
    ServerError(.noResources, "The system cannot create another thread.")
  }
}
