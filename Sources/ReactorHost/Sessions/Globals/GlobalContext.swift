internal import ReactorStreams

/// A session's serial context, as a global sees it.
protocol GlobalContext: SerialContext {
  /// Delivers a value in a turn of the session, unless the session has it already.
  ///
  /// - Parameters:
  ///   - name: The global's name.
  ///   - revision: The revision of the value.
  ///   - isNull: Whether the value is `null`, which a session without another value has.
  ///   - work: Delivers the value; the mutations that it causes are attributed to the global.
  func deliver(
    global name: String, revision: UInt64, isNull: Bool, _ work: @escaping @Sendable () -> Void)
}
