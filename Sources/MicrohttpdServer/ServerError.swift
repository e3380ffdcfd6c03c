/// An error that prevents a server from starting.
public struct ServerError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure; more may come.
  public struct Code: Hashable, Sendable {
    private enum Kind { case addressInUse, cannotBind, badAddress, alreadyStarted, noResources }
    private let kind: Kind

    /// Another socket listens on this address and port.
    public static var addressInUse: Code { Code(kind: .addressInUse) }

    /// The system rejected the address, for example for lack of permission.
    public static var cannotBind: Code { Code(kind: .cannotBind) }

    /// The host is not an IPv4 or IPv6 literal and not `localhost`, or the port is out of range.
    public static var badAddress: Code { Code(kind: .badAddress) }

    /// `start()` was called before; a server runs once.
    public static var alreadyStarted: Code { Code(kind: .alreadyStarted) }

    /// The process has no descriptors, memory or threads left.
    public static var noResources: Code { Code(kind: .noResources) }
  }

  /// The kind of failure.
  public var code: Code

  /// One sentence for the operator.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  static var noDescriptors: ServerError {
    ServerError(.noResources, "The process has no file descriptors left.")
  }

  static var noThread: ServerError {
    ServerError(.noResources, "The system cannot create another thread.")
  }
}
