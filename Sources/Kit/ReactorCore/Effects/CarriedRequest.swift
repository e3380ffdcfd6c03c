/// The request of an item that waits in a mailbox.
///
/// The thread that handles the item can be executing another request: its task-local values are not
/// those of the sender.
@usableFromInline
package final class CarriedRequest: Sendable {
  @usableFromInline package let context: RequestContext

  private init(_ context: RequestContext) {
    self.context = context
  }

  /// The current request, without an allocation if there is none.
  @usableFromInline
  package static var current: CarriedRequest? {
    RequestContext.current.map(CarriedRequest.init)
  }

  /// Calls a closure with a request as the current one.
  @usableFromInline
  package static func bind(_ context: RequestContext?, _ body: () -> Void) {
    if RequestContext.current == context { return body() }
    RequestContext.$current.withValue(context, operation: body)
  }
}
