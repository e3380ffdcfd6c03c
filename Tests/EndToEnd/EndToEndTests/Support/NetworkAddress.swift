import Glibc

/// An IPv4 address of this machine that is not a loopback address.
///
/// A client that connects to it has it as its own address.
struct NetworkAddress: Sendable {
  /// In network byte order.
  private let bytes: in_addr_t

  /// The first address of an active interface, or `nil` if there is none.
  static let first: NetworkAddress? = {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var next = list
    while let interface = next?.pointee {
      next = interface.ifa_next
      if let found = NetworkAddress(interface) { return found }
    }
    return nil
  }()

  private init?(_ interface: ifaddrs) {
    guard interface.ifa_flags & UInt32(IFF_UP) != 0, let address = interface.ifa_addr,
      address.pointee.sa_family == sa_family_t(AF_INET)
    else { return nil }
    bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      $0.pointee.sin_addr.s_addr
    }
    guard UInt32(bigEndian: bytes) >> 24 != 127 else { return nil }
  }

  /// Connects a socket to a port; returns whether it is connected.
  func connect(_ descriptor: Int32, to port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = bytes
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
