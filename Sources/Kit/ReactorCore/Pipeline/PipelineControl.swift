/// The operations of a pipeline that do not depend on the types of its reactor.
@usableFromInline
package protocol PipelineControl: AnyObject, Sendable {
  /// Whether the calling thread is in the serial context.
  var isCurrent: Bool { get }

  /// The number of items in the mailbox.
  var waitingCount: Int { get }

  /// The number of running effects: streams of `mutate` and `follow` that have not ended.
  var runningEffectCount: Int { get }

  /// The progress of the effects, see ``EffectProgress``.
  var effectProgress: Double? { get }

  /// Attributes the mutations that a closure emits synchronously to an origin. Outside of the
  /// serial context, it only calls the closure.
  func attribute(_ origin: MutationOrigin, _ body: () -> Void)

  /// Lists the running effects. Call it in the serial context; elsewhere the list is empty.
  func effects(after id: EffectID?, limit: Int) -> [EffectStatus]

  /// Ends an effect as if it had completed, in the serial context.
  func cancelEffect(_ id: EffectID)

  /// Ends every effect and every stage.
  func shutDown()
}
