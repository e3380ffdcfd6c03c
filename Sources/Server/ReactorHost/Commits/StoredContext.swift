internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
internal import Shares

/// The part of a request's context that the journal stores with an accepted action, besides the
/// principal.
struct StoredContext: Codable {
  private let id: String
  private let trace: String?
  private let origin: ActionOrigin
  private let depth: Int?
  /// The network of the client, as ``Client/network(high:low:)``, or `nil` for a principal, and for none.
  private let network: [UInt64]?
  /// The private values of the action, or `nil` if it has none.
  fileprivate var privateValues: [EncodedJSON]?

  init(_ context: RequestContext, privateValues: [[UInt8]] = []) {
    self.privateValues =
      privateValues.isEmpty ? nil : privateValues.map { EncodedJSON(trusted: $0) }
    id = context.id
    trace = context.traceparent
    origin = context.origin
    depth = context.depth > 0 ? context.depth : nil
    if case .network(let high, let low)? = context.account?.client {
      network = [high, low]
    } else {
      network = nil
    }
  }

  /// Returns the context of the actions when they run again.
  ///
  /// - Parameters:
  ///   - principal: The principal of their request.
  ///   - ledger: The ledger with the account of its client, or `nil` for a context without account.
  /// - Returns: The context.
  func repetition(for principal: Principal?, in ledger: Ledger?) -> RequestContext {
    var context = RequestContext(
      id: id, traceparent: trace, principal: principal, origin: origin, isRepetition: true)
    context.depth = depth ?? 0
    context.isUnattended = true
    context.wait = .never
    if let principal {
      context.account = ledger?.account(of: .principal(principal.id))
    } else if let network, network.count == 2 {
      context.account = ledger?.account(of: .network(high: network[0], low: network[1]))
    }
    return context
  }
}

extension AcceptedAction {
  /// The private values that the journal has, as JSON.
  var privateValues: [[UInt8]] {
    let stored = context.flatMap { try? JSONCoder.decode(StoredContext.self, from: $0) }
    return (stored?.privateValues ?? []).map { Array($0.bytes) }
  }

  /// Removes the private values: the action has ended.
  mutating func removePrivateValues() {
    guard let context, var stored = try? JSONCoder.decode(StoredContext.self, from: context),
      stored.privateValues != nil
    else { return }
    stored.privateValues = nil
    self.context = try? JSONCoder.encode(stored)
  }
}
