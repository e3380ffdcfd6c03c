/// A place where work runs one piece at a time: a session's mailbox.
package protocol SerialContext: Sendable {
  /// Runs work there, now or when what runs is done. Any thread may call.
  func perform(_ work: @escaping @Sendable () -> Void)
}

/// The serial context on whose behalf a stream is being subscribed.
package enum CurrentSerialContext {
  /// Bound while a reactor's streams are connected; what subscribes then can deliver there later.
  @TaskLocal package static var current: (any SerialContext)?
}
