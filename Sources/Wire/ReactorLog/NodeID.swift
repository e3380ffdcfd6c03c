/// A process that writes to a log: its name, and a value that differs with each start.
public struct NodeID: Hashable, Sendable, CustomStringConvertible {
  /// The name of the process, such as the host's name.
  public let name: String

  /// A random number that the process chose at its start.
  public let incarnation: UInt64

  /// Creates an identifier.
  public init(name: String, incarnation: UInt64) {
    self.name = name
    self.incarnation = incarnation
  }

  /// The name and the incarnation in hexadecimal: `n1.77aa`.
  public var description: String { "\(name).\(String(incarnation, radix: 16))" }
}
