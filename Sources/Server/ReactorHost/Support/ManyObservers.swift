internal import Dispatch

/// The notification of observers that takes so long that the thread of the commit must not execute it.
enum ManyObservers {
  /// The maximum number of observers that the thread of a commit notifies.
  static let bound = 16

  /// Notifies more observers.
  static let queue = DispatchQueue(label: "host.observers", attributes: .concurrent)
}
