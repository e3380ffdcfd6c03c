internal import Glibc
internal import SystemThreads

/// A TCP socket that never blocks, and is closed when it is released.
struct LinkSocket: ~Copyable {
  let descriptor: Int32

  deinit { close(descriptor) }

  /// The time after which the system ends a connection whose peer does not acknowledge bytes, in milliseconds.
  private static let unacknowledged: Int32 = 5_000

  /// Adopts a descriptor.
  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    set(Int32(IPPROTO_TCP), TCP_NODELAY, to: 1)
    set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, to: Self.unacknowledged)
    // A machine that is gone is noticed without bytes of this process.
    set(SOL_SOCKET, SO_KEEPALIVE, to: 1)
    set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, to: 2)
    set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, to: 1)
    set(Int32(IPPROTO_TCP), TCP_KEEPCNT, to: 3)
  }

  /// Listens at an address; returns `nil` with `errno` if that is impossible.
  static func listening(at address: LinkSocketAddress) -> LinkSocket? {
    guard let socket = make(address.family) else { return nil }
    socket.set(SOL_SOCKET, SO_REUSEADDR, to: 1)
    let isBound = unsafe address.pass { unsafe bind(socket.descriptor, $0, $1) } == 0
    guard isBound, listen(socket.descriptor, 1_024) == 0 else { return nil }
    return socket
  }

  /// Begins to connect to an address; returns `nil` if the system rejects it.
  static func connecting(to address: LinkSocketAddress) -> LinkSocket? {
    guard let socket = make(address.family) else { return nil }
    let isConnected = unsafe address.pass { unsafe connect(socket.descriptor, $0, $1) } == 0
    guard isConnected || errno == EINPROGRESS else { return nil }
    return socket
  }

  /// Accepts the next connection; returns `nil` with `errno` if there is none.
  static func accepting(from listener: borrowing LinkSocket) -> LinkSocket? {
    var (address, size) = (sockaddr_storage(), socklen_t())
    let descriptor = acceptConnection(
      from: listener.descriptor, address: &address, size: &size)
    return descriptor >= 0 ? LinkSocket(descriptor) : nil
  }

  private static func make(_ family: Int32) -> LinkSocket? {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(family, Int32(kind), 0)
    return descriptor >= 0 ? LinkSocket(descriptor) : nil
  }

  private func set(_ level: Int32, _ option: Int32, to value: Int32) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Whether an attempt to connect has failed.
  var hasError: Bool {
    var (error, size) = (Int32(), socklen_t(MemoryLayout<Int32>.size))
    return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0
  }

  /// The port of a listening socket.
  var port: UInt16 {
    var (address, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
    let isKnown = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getsockname(descriptor, address, &size) == 0
      }
    }
    guard isKnown else { return 0 }
    // The ports of both families are at the same place.
    return unsafe withUnsafeBytes(of: address) { bytes in
      unsafe UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
  }

  /// Reads available bytes: their number, 0 at the end, -1 with `errno`.
  func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
  }

  /// Writes bytes: the number of those that were accepted, or -1 with `errno`.
  func write(_ bytes: ArraySlice<UInt8>) -> Int {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }
}
