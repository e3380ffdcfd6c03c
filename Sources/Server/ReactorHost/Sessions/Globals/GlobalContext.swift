internal import ReactorCore
internal import ReactorStreams

/// A session's serial context, for the delivery of values from outside of the session.
protocol GlobalContext: JoiningContext {
  /// Begins an observation by a stream that is being subscribed to in a turn.
  func beginObservation(of name: String) -> ValueObservation

  /// Ends an observation.
  func end(_ observation: ValueObservation)

  /// Delivers a value in a turn of the session.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - observation: The observation that receives it.
  ///   - work: Delivers the value; the mutations that it causes have the mark of the observation.
  func deliver(
    _ value: OutsideValue, to observation: ValueObservation, _ work: @escaping @Sendable () -> Void)

  /// Whether the session becomes available when the first values of all joins have arrived.
  var waitsForJoins: Bool { get }

  /// Waits for the first value of a join until ``endJoin()``.
  ///
  /// - Parameter open: Looks for the value. Called when the session can be observed.
  func beginJoin(_ open: @escaping @Sendable () -> Void)

  /// The first value of a join was delivered, or there is none.
  func endJoin()
}

/// A value from outside of a session: of a global, or another session's State.
struct OutsideValue: Sendable {
  /// Identifies the value across restarts.
  let revision: UInt64

  /// Whether the value is `null`, which a session has if it has no value of the global.
  var isNull = false

  /// Called in the turn of the delivery; returns whether no later value was delivered before.
  var isNew: @Sendable () -> Bool = { true }
}

/// One observation of a value from outside of a session, by a stream of its reactor.
struct ValueObservation: Sendable {
  let name: String

  /// The number among the observations of the value in the session, beginning with 1.
  let number: Int

  /// Whether it began when the streams were connected, or because of a value that the session had
  /// already: the mutation that its first value causes may be in the State.
  let isJoin: Bool

  /// The name of the observation in the log, see `LogEntry.GlobalMark`.
  var mark: String { number == 1 ? name : "\(name)#\(number)" }
}
