import Foundation
import Testing

/// The log of a session of ``LedgerReactor`` in the response of one node.
struct LedgerLog: Sendable {
  /// An entry of the log.
  struct Entry: Decodable, Equatable, Sendable {
    struct Mutation: Decodable, Equatable, Sendable {
      let didEnter: Int
    }

    let version: Int
    let mutation: Mutation
  }

  /// The bodies of the pages.
  ///
  /// Nodes with the same log respond with the same bytes, so only one of the logs is decoded.
  let pages: [Data]

  /// Reads all pages.
  init(of session: SessionClient) throws {
    var pages: [Data] = []
    var next: String? = session.path + "/log?limit=1000"
    while let path = next {
      let response = try session.getWhenAvailable(path)
      try #require(response.status == 200, "\(response.text)")
      pages.append(Data(response.body))
      next = response.nextPage
    }
    self.pages = pages
  }

  /// Decodes the entries.
  func entries() throws -> [Entry] {
    let decoder = JSONDecoder()
    return try pages.flatMap { try decoder.decode([Entry].self, from: $0) }
  }
}

extension SessionClient {
  /// Reads an address, again after a 503: after a fault, the store can be unreachable for a moment.
  func getWhenAvailable(_ path: String) throws -> HTTPResponse {
    var response = try client.get(path)
    _ = try eventually {
      if response.status == 503 { response = try client.get(path) }
      return response.status != 503
    }
    return response
  }

  /// Opens a stream of every version, again after a 503.
  func replayWhenAvailable() throws -> EventStream {
    var stream = try events("?replay=all")
    _ = try eventually {
      if stream.head.status == 503 { stream = try events("?replay=all") }
      return stream.head.status != 503
    }
    return stream
  }

  /// Returns the events of a replay up to a version.
  ///
  /// Begins again if the stream is interrupted: its node has closed a session that it has lost.
  func replay(upTo version: Int) throws -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    _ = try eventually {
      do {
        events = try replayWhenAvailable().events(upTo: version)
        return true
      } catch WireError.closed {
        return false
      }
    }
    return events
  }
}
