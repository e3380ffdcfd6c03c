internal import ClientCore
public import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The transport of `URLSession`: HTTP and HTTPS, with the system's proxies and certificates.
///
/// The default on Apple's platforms; on Linux, `ReactorServer` uses libcurl.
public final class URLSessionTransport: ClientTransport {
  private let base: URL
  private let delegate = ResponseDelegate()
  /// Separate from ``streams``, so that streams do not occupy the connections of requests.
  private let requests: URLSession
  private let streams: URLSession
  /// Whether the sessions are invalidated: creating a task in them would then trap.
  private let isClosed = Mutex(false)

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - url: The address of the server, with the path prefix of a proxy if there is one.
  ///   - connections: The connections for requests.
  public init(url: URL, connections: Int = 4) {
    base = url
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.name = "reactor-client"
    requests = URLSession(
      configuration: Self.configuration(connections), delegate: delegate, delegateQueue: queue)
    streams = URLSession(
      configuration: Self.configuration(32), delegate: delegate, delegateQueue: queue)
  }

  private static func configuration(_ connections: Int) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // The default would end a stream after a week. The callers limit the total time of their
    // requests.
    configuration.timeoutIntervalForResource = 365 * 86_400
    return configuration
  }

  /// Sends a request and receives the complete response.
  public func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    let collector = Mutex(ResponseCollector())
    _ = start(request, in: requests) { event in
      if let result = collector.withLock({ $0.receive(event) }) { completion(result) }
    }
  }

  /// Sends a request and receives its response as it arrives.
  public func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    start(request, in: streams, receive)
  }

  /// Ends all connections.
  public func close() {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    requests.invalidateAndCancel()
    streams.invalidateAndCancel()
  }

  private func start(
    _ request: TransportRequest, in session: URLSession,
    _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    guard let url = Self.url(request.path, base) else {
      receive(.end(.noResponse))
      return NoConnection()
    }
    var native = URLRequest(url: url)
    native.httpMethod = request.method
    native.timeoutInterval = request.timeout / .seconds(1)
    for field in request.fields { native.setValue(field.value, forHTTPHeaderField: field.name) }
    if let body = request.body { native.httpBody = Data(body) }
    let task = isClosed.withLock { isClosed -> URLSessionDataTask? in
      guard !isClosed else { return nil }
      let task = session.dataTask(with: native)
      delegate.add(task, receive)
      task.resume()
      return task
    }
    guard let task else {
      receive(.end(.noResponse))
      return NoConnection()
    }
    return TaskConnection(task)
  }

  /// The URL of a path below the base.
  static func url(_ path: String, _ base: URL) -> URL? {
    let text = base.absoluteString
    return URL(string: text.hasSuffix("/") ? text + path : text + "/" + path)
  }
}

private final class TaskConnection: TransportConnection {
  private let task: URLSessionDataTask

  init(_ task: URLSessionDataTask) {
    self.task = task
  }

  func cancel() {
    task.cancel()
  }
}

private final class NoConnection: TransportConnection {
  func cancel() {}
}

/// Passes the callbacks of a session to the receivers of its tasks.
private final class ResponseDelegate: NSObject, URLSessionDataDelegate {
  private let receivers = Mutex<[ObjectIdentifier: @Sendable (TransportEvent) -> Void]>([:])

  func add(_ task: URLSessionTask, _ receive: @escaping @Sendable (TransportEvent) -> Void) {
    receivers.withLock { $0[ObjectIdentifier(task)] = receive }
  }

  private func receiver(of task: URLSessionTask) -> (@Sendable (TransportEvent) -> Void)? {
    receivers.withLock { $0[ObjectIdentifier(task)] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse {
      let fields = response.allHeaderFields.compactMap { name, value -> (String, String)? in
        guard let name = name as? String, let value = value as? String else { return nil }
        return (name, value)
      }
      receiver(of: dataTask)?(
        .head(TransportHead(status: response.statusCode, fields: fields)))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    receiver(of: dataTask)?(.bytes(Array(data)))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let receive = receivers.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
    receive?(.end(error.map { Problem(transportError: $0) }))
  }
}

extension Problem {
  /// Creates the problem of an error of `URLSession`.
  init(transportError error: any Error) {
    let error = error as NSError
    let certificateCodes = [
      NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasBadDate,
      NSURLErrorServerCertificateHasUnknownRoot, NSURLErrorServerCertificateNotYetValid,
      NSURLErrorClientCertificateRejected, NSURLErrorClientCertificateRequired,
      NSURLErrorSecureConnectionFailed,
    ]
    // Foundation for Linux has no error code for a certificate, only the message of libcurl.
    let isCertificateText =
      error.code == NSURLErrorUnknown
      && error.localizedDescription.range(of: "certificate", options: .caseInsensitive) != nil
    if error.domain == NSURLErrorDomain, certificateCodes.contains(error.code) || isCertificateText
    {
      self.init(
        .untrustedCertificate, "The server's certificate is not trusted",
        "\(error.localizedDescription) (\(error.code)). Install the certificate of its authority, or "
          + "correct the host name or the clock. No request was sent.")
    } else {
      self.init(
        .unreachable, "The server cannot be reached",
        "\(error.localizedDescription) (\(error.code)). Check the URL and the network.")
    }
  }
}
