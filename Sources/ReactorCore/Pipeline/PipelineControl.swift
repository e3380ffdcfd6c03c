/// The operations of a pipeline that do not depend on the types of its reactor.
@usableFromInline
package protocol PipelineControl: AnyObject, Sendable {
  /// Whether the calling thread is in the serial context.
  var isCurrent: Bool { get }

  /// The number of items in the mailbox.
  var waitingCount: Int { get }

  /// The number of streams of `mutate` that are running.
  var runningEffectCount: Int { get }

  /// The progress of the effects, see ``EffectProgress``.
  var effectProgress: Double? { get }

  /// Attributes the mutations that a body emits synchronously to an origin, in the serial context.
  func attribute(_ origin: MutationOrigin, _ body: () -> Void)

  /// Lists running effects, in the serial context.
  func effects(after id: EffectID?, limit: Int) -> [EffectStatus]

  /// Ends an effect as if it had completed, in the serial context.
  func cancelEffect(_ id: EffectID)

  /// Ends every effect and every stage.
  func shutDown()
}
