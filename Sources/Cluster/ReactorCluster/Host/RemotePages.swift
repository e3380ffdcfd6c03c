internal import ReactorHost
internal import ReactorLog

/// Reads a list of a session from its owner in pages, each limited by the size of a message.
struct RemotePages<Element: Sendable>: Sendable {
  /// The size of a list in bytes that suffices for a response: no further page is read.
  private static var bound: Int { 1 << 20 }

  let session: RemoteSession
  /// The maximum number of elements.
  let limit: Int
  /// Creates the call for the elements after `last`, or returns `nil` for the first page.
  let call: @Sendable (_ last: Element?, _ limit: Int) -> SessionCall
  /// Returns the elements of a reply, or `nil` for a reply of another kind.
  let elements: @Sendable (SessionReply) -> [Element]?
  /// The size of an element in bytes.
  let size: @Sendable (Element) -> Int

  /// Reads the list.
  ///
  /// - Parameters:
  ///   - found: The elements so far.
  ///   - completion: Called with the elements; with `nil` if the owner does not reply with a page.
  func read(_ found: [Element] = [], completion: @escaping @Sendable ([Element]?) -> Void) {
    session.node.call(call(found.last, limit - found.count), of: session.key) { result in
      guard case .success(let reply, _) = result, let page = elements(reply) else {
        return completion(nil)
      }
      let found = found + page
      // Exclude the last element: it lies beyond a response of this size, and shows that there are
      // more.
      let isLong = found.dropLast().reduce(0) { $0 + size($1) } >= Self.bound
      guard !page.isEmpty, found.count < limit, !isLong else { return completion(found) }
      read(found, completion: completion)
    }
  }
}
