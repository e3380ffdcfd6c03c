internal import Crypto
internal import Glibc

/// A connection of a link: the socket, the encryption, and the frames that arrive.
final class LinkConnection {
  enum Phase {
    case connecting
    /// The handshake is under way, or the greeting has no reply.
    case greeting
    case open
  }

  /// The reason why a connection ends.
  enum Failure: Error {
    case isClosed
    /// The peer lacks the secret, or has sent bytes that are not encrypted with it.
    case isForeign
    /// The peer has the secret, and has violated the protocol.
    case isInvalid
    case isRejected(LinkRejection)
  }

  /// The number of bytes that are encrypted ahead of the socket.
  static let outputBound = 65_536
  /// The number of bytes that are read before other connections have their turn.
  private static let turn = 4 * SecureChannel.chunk
  /// The time in which a connection has to be open, and in which a peer has to read something, in milliseconds.
  private static let limits: (opening: Milliseconds, stall: Milliseconds) = (2_000, 5_000)

  let id: LinkID
  let isDialled: Bool
  var phase: Phase
  /// Whether bytes may be waiting in the socket.
  var isReadable = false
  private(set) var socket: LinkSocket
  private var candidates: ArraySlice<LinkSocketAddress>
  private let channel: SecureChannel
  private var reader = FrameReader()
  private var output: [UInt8] = []
  private var written = 0
  private var deadline: Milliseconds?

  /// Connects to the first address that can be tried, or returns `nil` if there is none.
  init?(
    _ id: LinkID, to addresses: [LinkSocketAddress], _ key: SharedKey, at now: Milliseconds
  ) {
    var candidates = addresses[...]
    var first: LinkSocket?
    while first == nil, let address = candidates.popFirst() {
      first = LinkSocket.connecting(to: address)
    }
    guard let socket = first, let channel = try? SecureChannel(key, .client) else { return nil }
    (self.id, self.candidates, self.channel) = (id, candidates, channel)
    self.socket = socket
    (isDialled, phase, deadline) = (true, .connecting, now + Self.limits.opening)
  }

  /// Adopts an accepted connection.
  init?(_ id: LinkID, _ socket: consuming LinkSocket, _ key: SharedKey, at now: Milliseconds) {
    guard let channel = try? SecureChannel(key, .server) else { return nil }
    (self.id, self.candidates, self.channel) = (id, [], channel)
    self.socket = socket
    (isDialled, phase, deadline) = (false, .greeting, now + Self.limits.opening)
  }

  /// Whether the peer has exceeded a time limit.
  func isLate(at now: Milliseconds) -> Bool { deadline.map { $0 <= now } ?? false }

  /// Whether a time limit applies.
  var isTimed: Bool { deadline != nil }

  /// The number of encrypted bytes that the socket has not accepted.
  var unsent: Int { output.count - written }

  /// The socket is writable or broken for the first time: the attempt to connect has ended.
  ///
  /// - Returns: Whether the socket was replaced by one that connects to the next address.
  func didConnect() throws(Failure) -> Bool {
    guard phase == .connecting else { return false }
    guard socket.hasError else {
      phase = .greeting
      return false
    }
    while let address = candidates.popFirst() {
      guard let next = LinkSocket.connecting(to: address) else { continue }
      socket = next
      return true
    }
    throw .isClosed
  }

  func didOpen() { (phase, deadline) = (.open, nil) }

  // MARK: Sending

  /// Whether frames can be sent.
  var isSecure: Bool { channel.isOpen }

  func send(_ frames: [LinkFrame], at now: Milliseconds) throws(Failure) {
    var plaintext: [UInt8] = []
    plaintext.reserveCapacity(frames.reduce(0) { $0 + $1.size })
    for frame in frames { frame.write(to: &plaintext) }
    do throws(SecureChannel.Failure) {
      try channel.send(plaintext)
    } catch {
      throw .isForeign
    }
    try flush(at: now)
  }

  /// Writes what the socket accepts.
  func flush(at now: Milliseconds) throws(Failure) {
    channel.takeOutput(into: &output)
    guard phase != .connecting else { return }
    let before = written
    while written < output.count {
      let count = socket.write(output[written...])
      guard count > 0 else {
        guard errno == EAGAIN || errno == EINTR else { throw .isClosed }
        if phase == .open, written > before || deadline == nil {
          deadline = now + Self.limits.stall
        }
        return
      }
      written += count
    }
    output.removeAll(keepingCapacity: output.capacity <= 4 * Self.outputBound)
    written = 0
    if phase == .open { deadline = nil }
  }

  /// Announces the end of the connection.
  func end(at now: Milliseconds) {
    channel.end()
    try? flush(at: now)
  }

  // MARK: Receiving

  /// Reads available bytes.
  ///
  /// - Parameters:
  ///   - buffer: A buffer of ``SecureChannel/chunk`` bytes.
  ///   - now: The time.
  ///   - receive: Receives the frames in order.
  /// - Throws: After the frames that arrived before the end of the connection.
  func read(
    with buffer: UnsafeMutableBufferPointer<UInt8>, at now: Milliseconds,
    _ receive: (LinkFrame) throws(Failure) -> Void
  ) throws(Failure) {
    var total = 0
    while total < Self.turn {
      let count = unsafe socket.read(into: buffer)
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        guard count < 0, errno == EAGAIN else { throw .isClosed }
        return isReadable = false
      }
      total += count
      var plaintext: [UInt8] = []
      do throws(SecureChannel.Failure) {
        try unsafe channel.receive(
          UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[..<count]), into: &plaintext)
      } catch {
        // The peer gets the alert.
        try? flush(at: now)
        throw .isForeign
      }
      reader.append(plaintext)
      while let frame = try nextFrame() { try receive(frame) }
      guard !channel.isEnded else { throw .isClosed }
      // The handshake.
      if phase != .open { try flush(at: now) }
    }
  }

  private func nextFrame() throws(Failure) -> LinkFrame? {
    do throws(FrameError) {
      // A process that was not greeted does not cause large buffers.
      return try reader.next(bound: phase == .open ? LinkFrame.bound : LinkGreeting.bound)
    } catch {
      throw .isInvalid
    }
  }
}
