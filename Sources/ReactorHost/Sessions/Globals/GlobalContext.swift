internal import ReactorStreams

/// A session's serial context, for the delivery of values from outside of the session.
protocol GlobalContext: SerialContext {
  /// Delivers a value in a turn of the session, unless the session has it already.
  ///
  /// - Parameters:
  ///   - name: The global's name.
  ///   - revision: The revision of the value.
  ///   - isNull: Whether the value is `null`, which a session has if it has no value of the global.
  ///   - work: Delivers the value; the mutations that it causes are attributed to the global.
  func deliver(
    global name: String, revision: UInt64, isNull: Bool, _ work: @escaping @Sendable () -> Void)
}
