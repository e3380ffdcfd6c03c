internal import ReactorCoding
package import ReactorCore
package import ReactorLog
internal import ReactorSessions

extension ActionFailure {
  /// The maximum size of a stored title, and of a stored detail, in bytes of UTF-8.
  static let textLimit = 4096

  /// Creates the stored form of an error of `mutate`, with its texts cut at ``textLimit``.
  package init(index: Int?, _ error: any Error) {
    let kind: Kind? =
      switch error {
      case is ActionCrashedError: .crashed
      case is StateTooLargeError, is StateTooDeepError: .stateTooLarge
      case SessionSendError.tooDeep: .sendsTooDeep
      case SessionSendError.invalidID: .invalidSessionID
      case let error as RecordedError: error.kind
      default: nil
      }
    self.init(
      index: index, kind: kind,
      reason: (error as? any ActionError).map {
        Reason(
          status: $0.status, title: $0.title.cut(at: Self.textLimit),
          detail: $0.detail?.cut(at: Self.textLimit), code: $0.code.cut(at: 128),
          data: Self.data(of: $0))
      })
  }

  /// An error that produces the same problem for clients as the original one.
  package var error: any Error {
    guard let reason else { return UnexplainedFailure() }
    if kind == .crashed { return ActionCrashedError() }
    return RecordedError(
      kind: kind, status: reason.status, title: reason.title, detail: reason.detail,
      code: reason.code ?? "error", data: reason.data)
  }

  /// Returns the values of an error as JSON, at most ``textLimit`` bytes, or `nil` for none.
  package static func data(of error: any ActionError) -> String? {
    if let recorded = error as? RecordedError { return recorded.data }
    guard let value = error as? any Encodable, let json = try? JSONCoder.encode(value),
      let root = (try? JSONDocument(parsing: json))?.root
    else { return nil }
    var data = json
    if Mirror(reflecting: error).displayStyle == .enum {
      // The only member is the case with its values.
      guard let first = Mirror(reflecting: error).children.first?.label, let values = root[first]
      else { return nil }
      data = Array(values.bytes)
    }
    return data.count > textLimit ? nil : String(decoding: data, as: UTF8.self)
  }
}

/// An error of an action that was restored from the log.
package struct RecordedError: ActionError {
  /// The failure of the service, or `nil` for one of the reactor.
  package let kind: ActionFailure.Kind?

  /// The HTTP status.
  package let status: Int

  /// A short sentence for people.
  package let title: String

  /// The circumstances of this failure.
  package let detail: String?

  /// The kind of error.
  package let code: String

  /// The values of the error, as JSON, or `nil` for none.
  let data: String?
}

/// A stored failure without a description for clients.
private struct UnexplainedFailure: Error {}

extension String {
  /// Returns the longest beginning that has at most a number of bytes and no part of a character.
  fileprivate func cut(at limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}
