/// The unit that bounds count as one client.
///
/// Computed once per request: the principal if there is one, otherwise the address that a trusted proxy has
/// forwarded, otherwise the network address of the connection.
public enum Client: Hashable, Sendable {
  /// The id of a principal.
  case principal(String)

  /// A network: an IPv4 address, as IPv6 writes it, or the first 64 bits of an IPv6 address.
  case network(high: UInt64, low: UInt64)

  /// The connections of Unix-domain sockets.
  case local
}
