internal import ReactorHost
internal import ReactorLog

/// Effects, timers and subscribers, from the owner.
extension RemoteSession {
  func effects(after id: String?, limit: Int) async throws(SessionError) -> [RunningEffect] {
    try await list(limit: limit, size: { $0.action?.count ?? 0 }) { last, limit in
      .effects(after: last?.id ?? id, limit: limit)
    } elements: { reply in
      if case .effects(let effects) = reply { effects } else { nil }
    }
  }

  func cancelEffect(_ id: String) async throws(SessionError) { try await cancel(.cancelEffect(id)) }

  func timers(
    after position: TimerPosition?, limit: Int
  ) async throws(SessionError) -> [StoredTimer] {
    try await list(limit: limit, size: { $0.action.count }) { last, limit in
      .timers(after: last?.position ?? position, limit: limit)
    } elements: { reply in
      if case .timers(let timers) = reply { timers } else { nil }
    }
  }

  func cancelTimer(_ id: String) async throws(SessionError) { try await cancel(.cancelTimer(id)) }

  func subscribers(
    after name: String?, limit: Int
  ) async throws(SessionError) -> PresencePage {
    try await request(.subscribers(after: name, limit: limit)) { reply in
      if case .subscribers(let page) = reply { page } else { nil }
    }
  }

  private func cancel(_ call: SessionCall) async throws(SessionError) {
    try await request(call) { if case .done = $0 { () } else { nil } }
  }

  /// Reads a list in pages, each limited by the size of a message.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements.
  ///   - size: Returns the size of an element in bytes.
  ///   - call: Creates the call for the elements after `last`, which is `nil` for the first page.
  ///   - elements: Returns the elements of a reply, or `nil` for a reply of another kind.
  /// - Returns: The elements; fewer if they are larger than a response.
  /// - Throws: The error of the owner, or the reason why it does not reply.
  private func list<Element>(
    limit: Int, size: (Element) -> Int,
    call: (_ last: Element?, _ limit: Int) -> SessionCall,
    elements: (SessionReply) -> [Element]?
  ) async throws(SessionError) -> [Element] {
    // The size of a list in bytes that suffices for a response: no further page is read.
    let bound = 1 << 20
    var found: [Element] = []
    while true {
      let page = try await request(call(found.last, limit - found.count), elements)
      found += page
      // Exclude the last element: it lies beyond a response of this size, and shows that there are
      // more.
      let isLong = found.dropLast().reduce(0) { $0 + size($1) } >= bound
      if page.isEmpty || found.count >= limit || isLong { return found }
    }
  }

  /// Calls the owner, and returns the value that its reply contains.
  private func request<Value>(
    _ call: SessionCall, _ value: (SessionReply) -> Value?
  ) async throws(SessionError) -> Value {
    let result = await node.call(call, of: key)
    guard case .success(let reply, _) = result, let value = value(reply) else {
      throw result.sessionError
    }
    return value
  }
}
