internal import ReactorCoding

/// The access token of a server: when to request one, and the requests that wait for it.
///
/// A value without side effects. Requests are numbered, so that a late result of an earlier request is
/// ignored.
package struct AccessTokenState<Waiter: Sendable>: Sendable {
  /// An instruction to the caller.
  package enum Output: Sendable {
    /// Request a token and report it with this number.
    case request(Int)

    /// Continue with the token.
    case proceed(Waiter, String)

    case fail(Waiter, Problem)
  }

  /// A token is renewed this long before its expiry, or, if its lifetime is short, after three
  /// quarters of it.
  private static var margin: Duration { .seconds(30) }

  private var token: String?
  private var renewsAt: Duration?
  private var number = 0
  private var isRequesting = false
  private var waiters: [Waiter] = []

  /// Creates the state before the first request.
  package init() {}

  /// Whether there is a token.
  package var hasToken: Bool { token != nil }

  /// When to call ``wake(now:)``, or `nil` if no renewal is scheduled.
  package var deadline: Duration? { isRequesting ? nil : renewsAt }

  /// Passes the token to a waiter, now or when it has been obtained.
  package mutating func use(_ waiter: Waiter) -> [Output] {
    if let token { return [.proceed(waiter, token)] }
    waiters.append(waiter)
    return requested()
  }

  /// Discards a token that the server rejected; a newer token is not affected.
  package mutating func reject(_ rejected: String?) {
    guard let rejected, rejected == token else { return }
    token = nil
    renewsAt = nil
  }

  /// Renews the token when its expiry is near; the old one is used until then.
  package mutating func wake(now: Duration) -> [Output] {
    guard let renewsAt, now >= renewsAt else { return [] }
    self.renewsAt = nil
    return requested()
  }

  /// Records the result of a request, with the remaining lifetime of the token if that is known.
  package mutating func received(
    _ number: Int, _ result: Result<String, Problem>, expiry: Duration?, now: Duration
  ) -> [Output] {
    guard isRequesting, number == self.number else { return [] }
    isRequesting = false
    defer { waiters = [] }
    switch result {
    case .success(let token):
      self.token = token
      renewsAt = expiry.map { now + max($0 - Self.margin, $0 * 0.75, .seconds(1)) }
      return waiters.map { .proceed($0, token) }
    case .failure(let problem):
      if token != nil { renewsAt = now + .seconds(5) }
      return waiters.map { .fail($0, problem) }
    }
  }

  private mutating func requested() -> [Output] {
    guard !isRequesting else { return [] }
    isRequesting = true
    number += 1
    return [.request(number)]
  }
}

/// Reads the expiry of a JSON Web Token without verifying the token, which the server does.
package enum TokenExpiry {
  /// The time of `exp`, in seconds since 1970, or `nil` for any other token.
  package static func seconds(of token: String) -> Double? {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, token.utf8.count <= 16_384, let payload = decode(parts[1]) else {
      return nil
    }
    return (try? JSONDocument(parsing: payload))?.root["exp"]?.number?.double
  }

  /// Decodes base64url without padding.
  private static func decode(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      let value: UInt8
      switch character {
      case 0x41...0x5A: value = character - 0x41
      case 0x61...0x7A: value = character - 0x61 + 26
      case 0x30...0x39: value = character - 0x30 + 52
      case UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "_"): value = 63
      default: return nil
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
  }
}
