package import ReactorTransport
package import Shares
internal import SystemThreads

extension MicrohttpdServer {
  /// The configuration of a server.
  package struct Settings: Sendable {
    /// The limits above which requests and connections are rejected.
    package struct Limits: Sendable {
      /// The largest request body, in bytes.
      package var body: Int

      /// The largest request line and header fields together, in bytes.
      ///
      /// A larger head gets the responder's rejection, or a 431 without a body if it does not fit
      /// into the memory of its connection. Every kept-alive connection occupies five quarters of
      /// this size and 4 KiB in memory (at least 24 KiB).
      package var headers: Int

      /// The maximum number of open connections for requests, which clients share.
      ///
      /// A further connection closes the one that has been idle longest. If none is idle, it uses
      /// one of the `reserved` connections; if these are in use, it waits in the kernel.
      package var connections: Int

      /// The maximum number of open streams, which clients share; a further one gets the responder's
      /// rejection.
      package var streams: Int

      /// The maximum number of open connections per client, including streams; 0 is no limit.
      ///
      /// A further connection gets the responder's rejection. A client is an IPv4 address or an
      /// IPv6 /64 network; connections of Unix-domain sockets are not counted.
      package var connectionsPerAddress: Int

      /// The maximum size of all request bodies that are being received or processed, in bytes, which
      /// clients share.
      package var buffered: Int

      /// The number of connections beyond `connections` that serve only requests of
      /// `HTTPLane/priority`.
      package var reserved: Int

      /// Whether a client's connections are not counted, as for a trusted proxy, which has the
      /// connections of all its clients; `nil` stands for a Unix-domain socket.
      package var isExempt: @Sendable (ClientAddress?) -> Bool

      /// Creates limits.
      package init(
        body: Int = 1_048_576, headers: Int = 16_384, connections: Int = 100_000,
        streams: Int = 200_000, connectionsPerAddress: Int = 0,
        buffered: Int = 268_435_456, reserved: Int = 16,
        isExempt: @escaping @Sendable (ClientAddress?) -> Bool = { $0 == nil }
      ) {
        self.body = body
        self.headers = headers
        self.connections = connections
        self.streams = streams
        self.connectionsPerAddress = connectionsPerAddress
        self.buffered = buffered
        self.reserved = reserved
        self.isExempt = isExempt
      }
    }

    /// The maximum time for each step of a client; zero is no limit.
    ///
    /// Bytes that the client sends or reads meanwhile do not extend the time, except `stall`.
    package struct Timeouts: Sendable {
      /// For the first head of a new connection, unless `idle` is less, and for the header fields
      /// after a request line on a kept-alive connection.
      package var head: Duration

      /// For the body of a request, from the end of its head, and for reading a response.
      package var body: Duration

      /// For the next request line on a kept-alive connection, from the previous response.
      package var idle: Duration

      /// For reading any byte of a stream, from the time at which the socket is full.
      package var stall: Duration

      /// Creates timeouts.
      package init(
        head: Duration = .seconds(10), body: Duration = .seconds(60),
        idle: Duration = .seconds(60), stall: Duration = .seconds(120)
      ) {
        self.head = head
        self.body = body
        self.idle = idle
        self.stall = stall
      }

      /// The timeout of a new connection.
      var firstHead: Duration {
        head == .zero || idle == .zero ? max(head, idle) : min(head, idle)
      }
    }

    /// The addresses to listen on, at least one.
    package var endpoints: [Endpoint]

    /// The number of threads that parse requests and send responses.
    package var workers: Int

    /// The number of threads that write streams.
    ///
    /// With 0 the first worker writes them, which is best with one core, where two threads would wait
    /// for each other.
    package var loops: Int

    /// The limits.
    package var limits: Limits

    /// Counts what clients hold of the limits that they share.
    package var ledger = Ledger(memory: MemoryLimit.bytes / 4)

    /// The time that a client may take; waiting for the responder is not limited.
    package var timeouts: Timeouts

    /// The time after which a silent stream is sent its heartbeat; with many streams, heartbeats
    /// are sent after half of it at the earliest.
    package var heartbeat: Duration

    /// The time that an ended connection waits for its client to read the last bytes.
    package var linger: Duration

    /// Creates settings.
    package init(
      endpoints: [Endpoint] = [.network(host: "127.0.0.1", port: 8080)], workers: Int = 1,
      loops: Int = 1, limits: Limits = Limits(), timeouts: Timeouts = Timeouts(),
      heartbeat: Duration = .seconds(15), linger: Duration = .seconds(5)
    ) {
      self.endpoints = endpoints
      self.workers = workers
      self.loops = loops
      self.limits = limits
      self.timeouts = timeouts
      self.heartbeat = heartbeat
      self.linger = linger
    }
  }
}
