internal import ReactorCoding
internal import ReactorLog

/// The first and the last sequence of a stream, and its size.
struct StreamBounds: Equatable, Sendable {
  let first: Int
  let last: Int
  let bytes: Int
}

extension StreamReader {
  func bounds(of stream: String) async throws(LogError) -> StreamBounds {
    do throws(APIFailure) {
      let root = try await call("STREAM.INFO.\(stream)")
      guard let state = root["state"], let first: Int = state["first_seq"]?.integer(),
        let last: Int = state["last_seq"]?.integer(), let bytes: Int = state["bytes"]?.integer()
      else { throw .log(.corrupt("The stream \(stream) has no state.")) }
      return StreamBounds(first: first, last: last, bytes: bytes)
    } catch {
      throw error.logError
    }
  }

  /// Deletes the messages of a stream before a sequence: all of them, or those with a subject.
  ///
  /// - Returns: Their number.
  @discardableResult
  func purge(
    _ stream: String, _ subject: String? = nil, before sequence: Int
  ) async throws(LogError) -> Int {
    var request: [UInt8] = []
    request.put("{\"seq\":", sequence)
    if let subject { request.put(",\"filter\":", string: subject) }
    request.put("}")
    do throws(APIFailure) {
      return try await call("STREAM.PURGE.\(stream)", request)["purged"]?.integer() ?? 0
    } catch {
      throw error.logError
    }
  }
}

extension StreamMessage {
  /// The time at which the stream stored the message, as a text that sorts by time; empty if it is
  /// not known.
  var orderedTime: String {
    guard let time, time.utf8.count >= 19 else { return "" }
    let fraction = time.dropFirst(20).prefix { $0.isNumber }
    return time.prefix(19) + fraction + String(repeating: "0", count: max(0, 9 - fraction.count))
  }
}
