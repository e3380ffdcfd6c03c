public import Foundation
public import ReactorStreams

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The errors of the streams of a `URLSession`.
public enum RxCocoaURLError: Error, CustomStringConvertible {
  /// The session reported neither a response nor an error.
  case unknown

  /// The response is not an HTTP response.
  case nonHTTPResponse(response: URLResponse)

  /// The response has a status outside of 200 to 299.
  case httpRequestFailed(response: HTTPURLResponse, data: Data?)

  /// The body of the response is not JSON.
  case deserializationError(error: any Error)

  /// A description for a log.
  public var description: String {
    switch self {
    case .unknown: "The session reported neither a response nor an error."
    case .nonHTTPResponse(let response): "The response is not one of HTTP: \(response)"
    case .httpRequestFailed(let response, _):
      "The request failed with the status \(response.statusCode)."
    case .deserializationError(let error): "The body is not JSON: \(error)"
    }
  }
}

extension URLSession: ReactiveCompatible {}

extension Reactive where Base: URLSession {
  /// Returns a stream of the response to a request, with any status.
  ///
  /// Each subscription sends the request; disposing of the subscription cancels the request.
  public func response(
    request: URLRequest
  ) -> Observable<(response: HTTPURLResponse, data: Data)> {
    let session = base
    return .create { observer in
      let task = session.dataTask(with: request) { data, response, error in
        guard let response, let data else {
          return observer.onError(error ?? RxCocoaURLError.unknown)
        }
        guard let response = response as? HTTPURLResponse else {
          return observer.onError(RxCocoaURLError.nonHTTPResponse(response: response))
        }
        observer.onNext((response, data))
        observer.onCompleted()
      }
      task.resume()
      return Disposables.create { task.cancel() }
    }
  }

  /// Returns a stream of the response's body.
  ///
  /// A status outside of 200 to 299 fails the stream.
  public func data(request: URLRequest) -> Observable<Data> {
    response(request: request).map { response, data in
      guard 200..<300 ~= response.statusCode else {
        throw RxCocoaURLError.httpRequestFailed(response: response, data: data)
      }
      return data
    }
  }

  /// Returns a stream of the JSON value in the response to a request: dictionaries, arrays,
  /// strings, numbers, Booleans and `NSNull`.
  public func json(
    request: URLRequest, options: JSONSerialization.ReadingOptions = []
  ) -> Observable<any Sendable> {
    data(request: request).map { data in
      do {
        return try sendable(JSONSerialization.jsonObject(with: data, options: options))
      } catch {
        throw RxCocoaURLError.deserializationError(error: error)
      }
    }
  }

  /// Returns a stream of the JSON value at a URL; see ``json(request:options:)``.
  public func json(url: URL) -> Observable<any Sendable> {
    json(request: URLRequest(url: url))
  }
}

/// Converts a value of `JSONSerialization` to sendable types.
private func sendable(_ value: Any) -> any Sendable {
  switch value {
  case let dictionary as [String: Any]: dictionary.mapValues(sendable)
  case let array as [Any]: array.map(sendable)
  case let text as String: text
  case let number as NSNumber: sendable(number)
  default: NSNull()
  }
}

/// Converts a number to a Boolean, a floating-point number or an integer.
///
/// The C type distinguishes them: a Boolean has the type of a C character, and also bridges to
/// numbers.
private func sendable(_ number: NSNumber) -> any Sendable {
  // Proof: `objCType` is a zero-terminated constant.
  switch unsafe String(cString: number.objCType) {
  case "c", "B": number.boolValue
  case "f", "d": number.doubleValue
  case "Q": number.uint64Value
  default: number.intValue
  }
}
