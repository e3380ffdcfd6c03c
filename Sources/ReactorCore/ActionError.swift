/// An error of `mutate` that determines the client's response.
///
/// For any other error, the response is a server error without its cause.
///
/// ```swift
/// struct UnknownUser: ActionError {
///   var status: Int { 404 }
///   var title: String { "No such user" }
/// }
/// ```
public protocol ActionError: Error {
  /// The HTTP status of the response: 400 to 599.
  var status: Int { get }

  /// A short summary of the problem for display. It is the same at every occurrence.
  var title: String { get }

  /// The cause of this occurrence and how to resolve it. If it is `nil`, the response repeats the
  /// title.
  var detail: String? { get }
}

extension ActionError {
  /// `nil`: the title is sufficient.
  public var detail: String? { nil }
}
