/// An error of `mutate` that chooses what the client is told.
///
/// Any other error is answered as a failure of the server that says nothing of its cause.
///
/// ```swift
/// struct UnknownUser: ActionError {
///   var status: Int { 404 }
///   var title: String { "No such user" }
/// }
/// ```
public protocol ActionError: Error {
  /// The HTTP status of the answer: 400 to 599.
  var status: Int { get }

  /// A short sentence for people, the same at every occurrence.
  var title: String { get }

  /// What happened this time and what to do about it; `nil` repeats the title.
  var detail: String? { get }
}

extension ActionError {
  /// Nothing beyond the title.
  public var detail: String? { nil }
}
