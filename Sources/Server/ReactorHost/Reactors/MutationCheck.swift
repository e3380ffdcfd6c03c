internal import ReactorCoding
public import ReactorCore
internal import ReactorLog
internal import ReactorStreams
internal import Synchronization
internal import Telemetry

/// Folds each mutation of a live session a second time, see ``HostSettings/mutationCheck``.
///
/// A mutation is folded again immediately and with the next one, which finds clocks that have not
/// advanced meanwhile. Used in the session's serial context.
final class MutationCheck<R: Reactor>: Sendable
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  private struct Step: Sendable {
    let version: Int
    let state: R.State
    let mutation: R.Mutation
    let result: [UInt8]
  }

  private let second: @Sendable () -> SecondFold<R>
  /// The State after the last mutation.
  private let state = Mutex<R.State?>(nil)
  private let earlier = Mutex<Step?>(nil)

  init(_ type: ReactorType<R>, of session: LiveSession) {
    let scope = session.environment.scope(of: session.key, session.parameters).folding
    let maker = type.maker
    second = { SecondFold { try maker(scope)() } }
  }

  /// Begins with the State of a session that has just connected.
  func begin(at folded: R.State?, in session: LiveSession) {
    state.withLock { $0 = folded }
    guard let folded, session.current.version == 0 else { return }
    report(in: session) { try $0.impurity(ofInitial: folded) }
  }

  /// Checks an accepted mutation.
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - folded: The State after it.
  ///   - isEncoded: Whether the session has encoded that State; the check of a turn costs at most a
  ///     multiple of the turn.
  ///   - session: The session.
  func didReduce(
    _ mutation: R.Mutation, to folded: R.State?, isEncoded: Bool, in session: LiveSession
  ) {
    let previous = state.withLock { state in
      defer { state = folded }
      return state
    }
    guard let previous, let folded, isEncoded, !session.hasEnded else { return }
    let version = session.commits.withLock { $0.reducedVersion }
    report(in: session) { second in
      let found = try second.impurity(
        at: version, from: previous, by: mutation, text: JSONCoder.encode(mutation), to: folded)
      let step = Step(
        version: version, state: previous, mutation: mutation, result: try JSONCoder.encode(folded))
      let earlier = earlier.withLock { earlier in
        defer { earlier = found == nil ? step : nil }
        return earlier
      }
      if let found { return found }
      guard let earlier else { return nil }
      return second.difference(
        earlier.result, try second.fold(earlier.state, earlier.mutation), in: earlier.state,
        at: earlier.version
      ) { _ in .reduce }
    }
  }

  private func report(
    in session: LiveSession, _ find: (SecondFold<R>) throws -> Impurity?
  ) {
    // An error is one of the session, which the session reports.
    guard let found = try? find(second()) else { return }
    session.didFind(found)
  }
}

extension ReactorType {
  /// Connects an instance whose mutations are folded a second time.
  @usableFromInline
  func connectChecked(
    _ pipeline: Core, from state: R.State?, in context: SessionSerialContext,
    of session: LiveSession, mayFollow: Bool, reusing elements: EncodedElements?
  ) {
    let check = MutationCheck(self, of: session)
    pipeline.connect(
      from: state, in: context, quota: session.effectQuota, mayFollow: mayFollow,
      isPaused: session.isPaused
    ) { [self, weak pipeline] event in
      guard let pipeline, let session = context.session else {
        return report(event, in: context, reusing: elements)
      }
      let bytes = session.meter.turnBytes
      let error = report(event, in: context, reusing: elements)
      switch event {
      case .connected: check.begin(at: pipeline.foldedInContext, in: session)
      case .reduced(let transition) where error == nil:
        check.didReduce(
          transition.mutation, to: pipeline.foldedInContext,
          isEncoded: session.meter.turnBytes > bytes, in: session)
      case .reduced, .failed, .turnBegan, .turnEnded: break
      }
      return error
    }
  }
}

extension LiveSession {
  /// Whether the service serves reads only.
  @usableFromInline var isPaused: Bool { environment.settings.isPaused }

  /// Whether each mutation is folded a second time.
  @usableFromInline var checksMutations: Bool { environment.settings.mutationCheck.isActive }

  /// Reports that the JSON of a State that is declared as a `PlainState` depends on more than its values.
  func didFindStale(_ place: JSONDifference.Place) {
    func text(_ json: [UInt8]?) -> String {
      json.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
    }
    didFind(
      Impurity(
        version: commits.withLock { $0.reducedVersion } + 1, .plainState, at: "\(place.pointer)",
        text(place.first), text(place.second)))
  }

  /// Counts a difference between two folds, and logs the first one of the reactor.
  fileprivate func didFind(_ impurity: Impurity) {
    let counts = environment.counts
    counts.impureMutations.add()
    guard !counts.hasLoggedImpurity.exchange(true, ordering: .relaxed) else { return }
    environment.logger.error(
      "a second fold of a mutation differs",
      [
        "reactor": key.reactor, "session": key.id, "version": "\(impurity.version)",
        "pointer": impurity.pointer, "live": impurity.first, "second": impurity.second,
        "remedy": impurity.remedy,
      ])
  }
}
