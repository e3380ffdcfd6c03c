import Foundation
import ReactorFoundation
import ReactorStreams
import ReactorTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct NotificationCenterTests {
  private final class Sender: Sendable {}

  private let center = NotificationCenter()
  private let name = Notification.Name("changed")

  @Test func `a subscription receives the notifications that are posted during it`() {
    let received = Mutex<[Int]>([])
    center.post(name: name, object: nil, userInfo: ["number": 0])
    let subscription = center.rx.notification(name)
      .compactMap { $0.userInfo?["number"] as? Int }
      .subscribe(onNext: { number in received.withLock { $0.append(number) } })
    center.post(name: name, object: Sender(), userInfo: ["number": 1])
    center.post(name: Notification.Name("other"), object: nil, userInfo: ["number": 2])
    subscription.dispose()
    center.post(name: name, object: nil, userInfo: ["number": 3])
    #expect(received.withLock { $0 } == [1])
  }

  @Test func `a sender selects its notifications`() {
    let sender = Sender()
    let count = Mutex(0)
    let subscription = center.rx.notification(name, object: sender)
      .subscribe(onNext: { _ in count.withLock { $0 += 1 } })
    center.post(name: name, object: sender)
    center.post(name: name, object: Sender())
    center.post(name: name, object: nil)
    #expect(count.withLock { $0 } == 1)
    subscription.dispose()
  }
}

/// Responds to requests without a network: the path is the status, the query the body.
private final class EchoProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool {
    true
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest {
    request
  }

  override func startLoading() {
    guard let url = request.url, let status = Int(url.lastPathComponent),
      let response = HTTPURLResponse(
        url: url, statusCode: status, httpVersion: nil, headerFields: nil)
    else {
      client?.urlProtocol(self, didFailWithError: URLError(.badURL))
      return
    }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data((url.query?.removingPercentEncoding ?? "").utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

@Suite struct URLSessionTests {
  private struct Item: Codable, Equatable {
    let id: Int
  }

  private let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [EchoProtocol.self]
    return URLSession(configuration: configuration)
  }()

  private func request(_ status: Int, _ body: String) throws -> URLRequest {
    var components = URLComponents()
    components.scheme = "http"
    components.host = "localhost"
    components.path = "/\(status)"
    components.query = body
    return URLRequest(url: try #require(components.url))
  }

  @Test func `a request emits its response with the body`() async throws {
    let request = try request(404, "missing")
    for try await (response, data) in session.rx.response(request: request).values {
      #expect(response.statusCode == 404)
      #expect(data == Data("missing".utf8))
    }
  }

  @Test func `the body of a response is decoded`() async throws {
    let items = session.rx.data(request: try request(200, #"{"id":7}"#))
      .decode(type: Item.self, decoder: JSONDecoder())
    for try await item in items.values { #expect(item == Item(id: 7)) }
  }

  @Test func `a status of an error fails the stream`() async throws {
    let data = session.rx.data(request: try request(500, "sorry"))
    let error = await #expect(throws: RxCocoaURLError.self) {
      for try await _ in data.values {}
    }
    guard case .httpRequestFailed(let response, let body) = error else {
      Issue.record("Expected httpRequestFailed, got \(String(describing: error))")
      return
    }
    #expect(response.statusCode == 500)
    #expect(body == Data("sorry".utf8))
  }

  @Test func `a body that is not JSON fails the stream`() async throws {
    let json = session.rx.json(request: try request(200, "{"))
    let error = await #expect(throws: RxCocoaURLError.self) {
      for try await _ in json.values {}
    }
    guard case .deserializationError = error else {
      Issue.record("Expected deserializationError, got \(String(describing: error))")
      return
    }
  }

  @Test func `a JSON value in sendable types`() async throws {
    let json = session.rx.json(request: try request(200, #"{"list":[1,"a",true,null]}"#))
    for try await value in json.values {
      let list = try #require((value as? [String: any Sendable])?["list"] as? [any Sendable])
      #expect(list.count == 4)
      #expect(list[0] as? Int == 1)
      #expect(list[1] as? String == "a")
      #expect(list[2] as? Bool == true)
      #expect(list[3] is NSNull)
    }
  }
}
