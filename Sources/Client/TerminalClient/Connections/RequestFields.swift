internal import ClientCore
internal import Glibc

/// The header fields that a command adds to each of its requests: the token, and those of a gateway.
///
/// The arguments of a process are visible to all users of a machine, so that no argument is a token.
package struct RequestFields: Equatable, Sendable {
  /// The environment variable with a token.
  package static let variable = "REACTORD_TOKEN"

  /// The fields that a command has been given, in order.
  private let others: [TransportRequest.Field]

  /// The file with the token, or `nil` for the one in ``variable``.
  private let tokenFile: String?

  /// Creates the fields.
  ///
  /// - Parameters:
  ///   - tokenFile: The path of a file with the token, which is read for each request, so that a program
  ///     can replace the token. Without a file the token is in ``variable``.
  ///   - headers: The texts `NAME: VALUE`.
  /// - Throws: The first text that is no field, or names one that has another place.
  package init(tokenFile: String? = nil, headers: [String] = []) throws(SyntaxError) {
    var fields: [TransportRequest.Field] = []
    for header in headers {
      let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      let value = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
      let field = TransportRequest.Field(name, value)
      guard parts.count == 2, TransportRequest("GET", "", fields: [field]).isSendable else {
        throw SyntaxError(description: "--header: expected NAME: VALUE, found \(header)")
      }
      guard name.lowercased() != "authorization" else {
        throw SyntaxError(
          description: """
            --header: other users see the arguments of a process; put the token into \
            \(Self.variable), or into a file for --token
            """)
      }
      fields.append(field)
    }
    (others, self.tokenFile) = (fields, tokenFile)
  }

  /// An argument that is no field.
  package struct SyntaxError: Error, Equatable {
    /// The error and its remedy.
    package let description: String
  }

  /// Adds the fields to a request.
  ///
  /// - Throws: If the file with the token cannot be read.
  func add(to request: inout TransportRequest) throws(CommandFailure) {
    request.fields += others
    let token = try token()
    guard !token.isEmpty else { return }
    let field = TransportRequest.Field("Authorization", "Bearer " + token)
    guard TransportRequest("GET", "", fields: [field]).isSendable else {
      throw CommandFailure("the token contains a control character", exitCode: EX_NOINPUT)
    }
    request.fields.append(field)
  }

  private func token() throws(CommandFailure) -> String {
    guard let tokenFile else {
      return unsafe getenv(Self.variable).map { unsafe String(cString: $0) } ?? ""
    }
    // A token has at most 8 KiB.
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let descriptor = unsafe open(tokenFile, O_RDONLY | O_CLOEXEC)
    var count = -1
    if descriptor >= 0 {
      count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      close(descriptor)
    }
    guard count > 0 else {
      throw CommandFailure(
        "--token: cannot read a token from the file \"\(tokenFile)\"", exitCode: EX_NOINPUT)
    }
    let text = String(decoding: buffer[..<count], as: UTF8.self)
    return text.split(omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
      .first.map(String.init) ?? ""
  }
}
