/// An error of `mutate` that determines the client's response.
///
/// For any other error, the response is a server error without its cause.
///
/// ```swift
/// enum Rejection: ActionError, Codable {
///   case isTooLow(minimum: Int), isClosed
///
///   var status: Int { 409 }
///
///   var title: String {
///     switch self {
///     case .isTooLow: "The bid is too low"
///     case .isClosed: "The auction is closed"
///     }
///   }
/// }
/// ```
///
/// A client distinguishes errors by their ``code``, which is the name of the case: `isTooLow`. If the
/// error is `Encodable`, the response contains its values: `"data":{"minimum":5}`.
public protocol ActionError: Error {
  /// The HTTP status of the response: 400 to 599.
  var status: Int { get }

  /// The kind of error, for programs.
  ///
  /// By default it is the name of the enum's case, or of the type in lower camel case.
  var code: String { get }

  /// A short summary of the problem for display. It is the same at every occurrence.
  var title: String { get }

  /// The cause of this occurrence and how to resolve it. If it is `nil`, the response repeats the
  /// title.
  var detail: String? { get }
}

extension ActionError {
  /// `nil`: the title is sufficient.
  public var detail: String? { nil }

  /// The name of the enum's case, or of the type in lower camel case.
  public var code: String {
    let mirror = Mirror(reflecting: self)
    if mirror.displayStyle == .enum {
      if let name = mirror.children.first?.label { return name }
      // The text of a case without values is its name, unless the type has a text of its own.
      let text = "\(self)"
      let isName = text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
      if isName, !text.isEmpty { return text }
    }
    let name = "\(type(of: self))"
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}
