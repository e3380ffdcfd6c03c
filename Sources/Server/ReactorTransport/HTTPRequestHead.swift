package import Shares
internal import Synchronization

/// The head of a request: everything except the body.
///
/// Immutable. The requests of a connection that repeat the bytes of a head share it, including the
/// data that the responder has read from it.
@safe
package final class HTTPRequestHead: Sendable {
  /// The method as sent, case-sensitive (`GET`).
  package let method: WireText

  /// The path as sent: percent-encoded, without the query.
  package let path: WireText

  /// The part after the first `?`, percent-encoded, or `nil` without one.
  package let query: WireText?

  /// The header fields that the service reads.
  package let headers: HTTPRequestHeaders

  /// Whether the request announced a body, possibly an empty one (`Content-Length` or chunked).
  package let hasBody: Bool

  /// The remote address of the connection, or `nil` on a Unix-domain socket.
  package let peer: ClientAddress?

  /// The account of the connection's client, or `nil` if the transport has none, or for a trusted proxy.
  package let account: Account?

  // Proof: retained from `store(_:)`, which stores once, until the head is released.
  //
  // Not an `AtomicLazyReference`: its functions are not specialized here, and look types up for each
  // request.
  private let stored = unsafe Atomic<Unmanaged<HTTPHeadReading>?>(nil)

  /// Creates a head.
  package init(
    method: WireText, path: WireText, query: WireText?, headers: HTTPRequestHeaders, hasBody: Bool,
    peer: ClientAddress?, account: Account? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.hasBody = hasBody
    self.peer = peer
    self.account = account
  }

  /// The data that a responder has read from the head, or `nil` before the first request.
  package var reading: HTTPHeadReading? {
    unsafe stored.load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// Stores the data that a responder has read, for the requests that repeat the head; has no
  /// effect after the first call.
  package func store(_ reading: HTTPHeadReading) {
    let retained = unsafe Unmanaged.passRetained(reading)
    let isStored = unsafe stored.compareExchange(
      expected: nil, desired: retained, ordering: .acquiringAndReleasing
    ).exchanged
    if !isStored { unsafe retained.release() }
  }

  deinit { unsafe stored.load(ordering: .acquiring)?.release() }
}

// Proof: it has no members, and each subclass states its own proof.
/// The data that a responder has read from the head of a request; subclasses add the members.
///
/// Immutable, and a function of the head: it must not depend on the time or on another request.
open class HTTPHeadReading: @unchecked Sendable {
  /// Creates an empty reading.
  package init() {}
}
