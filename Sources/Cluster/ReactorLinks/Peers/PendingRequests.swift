package import ReactorCluster

/// Receives the reply to a request, or an error.
package typealias ReplyReceiver = @Sendable (Result<[UInt8], BusError>) -> Void

/// Identifies a link: a connection, and those that replace it while the peer is the same process.
package typealias LinkID = UInt64

/// Milliseconds of the monotonic clock.
package typealias Milliseconds = Int64

/// The requests of this process without a reply.
package struct PendingRequests {
  private struct Request {
    let link: LinkID
    let deadline: Milliseconds
    let receiver: ReplyReceiver
    var isSent = false
  }

  private var requests: [UInt64: Request] = [:]
  private var lastNumber: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { requests.isEmpty }

  /// Adds a request, and returns its number.
  package mutating func add(
    to link: LinkID, deadline: Milliseconds, _ receiver: @escaping ReplyReceiver
  ) -> UInt64 {
    lastNumber += 1
    requests[lastNumber] = Request(link: link, deadline: deadline, receiver: receiver)
    return lastNumber
  }

  /// Marks a request as sent.
  ///
  /// - Returns: `false` if the request has ended, so that it must not be sent.
  package mutating func send(_ number: UInt64) -> Bool {
    guard requests[number] != nil else { return false }
    requests[number]?.isSent = true
    return true
  }

  /// Removes and returns the receiver of a reply, or returns `nil` if the request has ended or was sent on
  /// another link.
  package mutating func reply(to number: UInt64, from link: LinkID) -> ReplyReceiver? {
    guard let request = requests[number], request.link == link, request.isSent else { return nil }
    requests[number] = nil
    return request.receiver
  }

  /// Ends the requests to a link: those that were sent, or all.
  package mutating func end(_ link: LinkID, onlySent: Bool) -> [LinkCompletion] {
    end { $0.link == link && ($0.isSent || !onlySent) }
  }

  /// Ends the requests whose time has passed.
  package mutating func expire(at now: Milliseconds) -> [LinkCompletion] {
    end { $0.deadline <= now }
  }

  /// Ends requests in their order.
  private mutating func end(where isEnded: (Request) -> Bool) -> [LinkCompletion] {
    let ended = requests.filter { isEnded($0.value) }.sorted { $0.key < $1.key }
    for (number, _) in ended { requests[number] = nil }
    return ended.map { _, request in
      LinkCompletion(request.receiver, .failure(request.isSent ? .timedOut : .noSuchNode))
    }
  }
}

/// A call of the receiver of a reply, without the locks of the bus.
package struct LinkCompletion: Sendable {
  let receiver: ReplyReceiver
  let result: Result<[UInt8], BusError>

  init(_ receiver: @escaping ReplyReceiver, _ result: Result<[UInt8], BusError>) {
    (self.receiver, self.result) = (receiver, result)
  }

  package func execute() { receiver(result) }
}
