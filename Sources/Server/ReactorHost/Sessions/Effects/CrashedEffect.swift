internal import ReactorCore
package import ReactorLog

/// The effect whose code the calling thread executes, for the handler of a crash.
package enum CrashedEffect {
  /// The session and the JSON of the action whose effect the calling thread executes, or `nil` if it
  /// executes none.
  ///
  /// An effect's tasks, and the work of its schedulers, inherit its context. The handler of a crash
  /// can read this property: it allocates no memory and takes no lock.
  package static var current: (session: SessionKey, action: [UInt8])? {
    guard let effect = RunningEffectContext.current?.tracked as? ActionEffect else { return nil }
    return (effect.reply.session.key, effect.json)
  }
}
