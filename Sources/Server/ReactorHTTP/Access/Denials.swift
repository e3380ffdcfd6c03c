internal import Identity
internal import ReactorLog
internal import Synchronization

/// The latest requests that were denied, for their explanation.
final class Denials: Sendable {
  /// A right that a request needs and does not have.
  struct MissingRight: Sendable {
    let right: Right
    let target: Grants.Target
    var use = Grants.Use.some
  }

  /// A request without the right that it needs.
  struct Denial: Sendable {
    /// The request's id, which the client may have chosen.
    let request: String
    let time: Timestamp
    let authentication: Authentication
    let missing: MissingRight
  }

  /// The maximum number of denials.
  static let limit = 1_000

  private struct Ring {
    var denials: [Denial] = []
    var next = 0
  }

  private let ring = Mutex(Ring())

  func add(_ denial: Denial) {
    ring.withLock { ring in
      if ring.denials.count < Self.limit {
        ring.denials.append(denial)
      } else {
        ring.denials[ring.next] = denial
        ring.next = (ring.next + 1) % Self.limit
      }
    }
  }

  /// Returns the denials of a request id, at most ten, the latest first.
  func find(_ request: String) -> [Denial] {
    let (denials, next) = ring.withLock { ($0.denials, $0.next) }
    let ordered = denials[next...] + denials[..<next]
    return Array(
      ordered.reversed().lazy.filter { $0.request.utf8.elementsEqual(request.utf8) }.prefix(10))
  }
}
