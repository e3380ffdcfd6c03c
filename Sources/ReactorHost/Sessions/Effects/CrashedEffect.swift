internal import ReactorCore
package import ReactorLog

/// The effect whose code crashes on the calling thread.
package enum CrashedEffect {
  /// The session and the JSON of the action whose effect the calling thread executes; `nil` if it
  /// executes none.
  ///
  /// An effect's tasks, and the work of its schedulers, inherit its context. For the handler of a crash:
  /// allocates nothing and takes no lock.
  package static var current: (session: SessionKey, action: [UInt8])? {
    guard let effect = RunningEffectContext.current?.tracked as? ActionEffect else { return nil }
    return (effect.reply.session.key, effect.json)
  }
}
