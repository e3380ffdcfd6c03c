public import Foundation
public import ReactorStreams

extension NotificationCenter: ReactiveCompatible {}

extension Reactive where Base: NotificationCenter {
  /// Returns a stream of the notifications that are posted to this center while it is subscribed
  /// to.
  ///
  /// - Parameters:
  ///   - name: The name of the notifications; `nil` means any name.
  ///   - object: The sender of the notifications, which the stream does not retain; `nil` means any
  ///     sender.
  /// - Returns: A stream that never ends.
  public func notification(
    _ name: Notification.Name?, object: (any AnyObject & Sendable)? = nil
  ) -> Observable<PostedNotification> {
    let center = Center(base)
    let hasSender = object != nil
    return .create { [weak object] observer in
      guard !hasSender || object != nil else { return Disposables.create() }
      let token = center.base.addObserver(forName: name, object: object, queue: nil) {
        observer.onNext(PostedNotification($0))
      }
      return center.removing(token)
    }
  }
}

// Proof: the value is immutable. Foundation delivers a notification on the posting thread to the
// observers of any queue, so its contents are shared between threads with or without a stream.
/// A notification as an element of a stream.
@dynamicMemberLookup
public struct PostedNotification: @unchecked Sendable {
  /// The notification.
  public let notification: Notification

  init(_ notification: Notification) {
    self.notification = notification
  }

  /// A property of the notification: `name`, `object` or `userInfo`.
  public subscript<Property>(dynamicMember keyPath: KeyPath<Notification, Property>) -> Property {
    notification[keyPath: keyPath]
  }
}

/// A notification center that is shared between threads.
// Proof: Foundation documents the methods of a notification center as safe to call from any thread.
// A token is only passed back to the center that returned it.
private struct Center: @unchecked Sendable {
  let base: NotificationCenter

  init(_ base: NotificationCenter) {
    self.base = base
  }

  func removing(_ token: any NSObjectProtocol) -> any Disposable {
    let token = Token(base: token)
    return Disposables.create { base.removeObserver(token.base) }
  }

  // Proof: see `Center`.
  private struct Token: @unchecked Sendable {
    let base: any NSObjectProtocol
  }
}
