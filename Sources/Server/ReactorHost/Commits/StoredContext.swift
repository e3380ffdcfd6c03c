internal import ReactorCore

/// The part of a request's context that the journal stores with an accepted action, besides the
/// principal.
struct StoredContext: Codable {
  private let id: String
  private let trace: String?
  private let origin: ActionOrigin
  private let depth: Int?

  init(_ context: RequestContext) {
    id = context.id
    trace = context.traceparent
    origin = context.origin
    depth = context.depth > 0 ? context.depth : nil
  }

  /// Returns the context of the actions when they run again.
  func repetition(for principal: Principal?) -> RequestContext {
    var context = RequestContext(
      id: id, traceparent: trace, principal: principal, origin: origin, isRepetition: true)
    context.depth = depth ?? 0
    context.isUnattended = true
    context.wait = .never
    return context
  }
}
