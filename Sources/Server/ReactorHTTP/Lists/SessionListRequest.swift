internal import ReactorHost
internal import ReactorTransport

/// A request for a page of a list of a session: its effects, timers or subscribers.
struct SessionListRequest {
  let reactor: any HostedReactor
  let session: String
  let query: Query
  /// The maximum number of elements on the page.
  let limit: Int
  /// The last part of the path.
  private let list: String

  /// Reads the parameters that all lists have.
  init(_ list: String, _ call: Call, in host: Host) throws(Problem) {
    reactor = try call.reactor(in: host)
    session = try call.sessionID()
    try call.negotiate()
    query = try call.query()
    limit = try query.limit()
    self.list = list
  }

  /// Returns the header fields of a page.
  ///
  /// - Parameter position: The value of `after` of the next page, percent-encoded, or `nil` for the
  ///   last page.
  /// - Returns: The fields, with a link to the next page if there is one.
  func headers(next position: String?) -> HTTPFields {
    var headers = HTTPFields.revalidated
    if let position {
      let address = "/v1/reactors/\(reactor.name)/sessions/\(session)/\(list)"
      headers.append("Link", "<\(address)?limit=\(limit)&after=\(position)>; rel=\"next\"")
    }
    return headers
  }
}

extension Collection {
  /// Returns the first elements that fit into the page of a response; at least one.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements.
  ///   - size: Returns the size of an element, in bytes.
  /// - Returns: The elements.
  func page(limit: Int, size: (Element) -> Int) -> SubSequence {
    page(limit: limit, bytes: Limits.pageBytes, size: size)
  }
}
