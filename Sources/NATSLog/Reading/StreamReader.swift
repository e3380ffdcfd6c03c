internal import NATSClient
internal import ReactorCoding
internal import ReactorLog
internal import SystemThreads
internal import Telemetry

/// Reads the messages of streams from their leaders, without a consumer.
///
/// Other replicas are not read ("direct get"). They can be behind; and with nats-server 2.9.10 a
/// replica that was the leader while it was cut off from the other brokers can have other messages
/// at the same sequences afterwards. Neither a sequence nor a version shows that: the message of a
/// displaced writer has the same ones as the message that replaced it.
struct StreamReader: Sendable {
  /// The number of messages that are requested at the same time; ``ReadGate`` bounds those of one
  /// stream.
  static let parallel = 64

  let engine: LogEngine

  // MARK: Messages

  /// The last message of a subject, from the stream's leader, or `nil` for none.
  func last(_ subject: String, in stream: String) async throws(LogError) -> StreamMessage? {
    var body: [UInt8] = []
    body.put("{\"last_by_subj\":", string: subject)
    body.put("}")
    return try await get(body, in: stream)
  }

  /// The first message of a subject after a sequence, from the stream's leader, or `nil` for none.
  func next(
    _ subject: String, after sequence: Int, in stream: String
  ) async throws(LogError) -> StreamMessage? {
    var body: [UInt8] = []
    body.put("{\"seq\":", sequence + 1)
    body.put(",\"next_by_subj\":", string: subject)
    body.put("}")
    return try await get(body, in: stream)
  }

  /// The message at a sequence that the stream has confirmed, or `nil` if it was deleted.
  ///
  /// Waits until a new leader has applied the messages of the former leader. A leader that remains
  /// behind is requested to step down.
  func message(at sequence: Int, in stream: String) async throws(LogError) -> StreamMessage? {
    engine.counters.reads.add()
    let gate = engine.reads(of: stream)
    await gate.begin()
    defer { gate.end() }
    let body = Array("{\"seq\":\(sequence)}".utf8)
    return try await waitForLeader(of: stream, having: sequence) { () async throws(LogError) in
      if let message = try await get(body, in: stream) { return .found(message) }
      // Read the end before the message: a message that is applied in between is found.
      let last = try await bounds(of: stream).last
      return last >= sequence ? .found(try await get(body, in: stream)) : .behind(at: last)
    }
  }

  /// The messages at some sequences, in their order, or `nil` for each that is missing.
  func messages(
    at sequences: [Int], in stream: String
  ) async throws(LogError) -> [StreamMessage?] {
    try await Concurrently.values(sequences) { sequence async throws(LogError) in
      try await message(at: sequence, in: stream)
    }
  }

  /// Deletes a message, if it exists.
  ///
  /// - Parameters:
  ///   - sequence: The sequence of the message.
  ///   - stream: The stream.
  /// - Throws: If the message may still exist.
  func delete(_ sequence: Int, in stream: String) async throws(LogError) {
    guard sequence > 0 else { return }
    do throws(APIFailure) {
      _ = try await call(
        "STREAM.MSG.DELETE.\(stream)", Array("{\"seq\":\(sequence),\"no_erase\":true}".utf8))
    } catch {
      switch error {
      case .api(10043, _): return  // the message does not exist
      case .api(10057, _):
        // The message does not exist, or it cannot be deleted: only the text of the error differs.
        if try await get(Array("{\"seq\":\(sequence)}".utf8), in: stream) == nil { return }
      case .api, .log: break
      }
      throw error.logError
    }
  }

  private func get(_ body: [UInt8], in stream: String) async throws(LogError) -> StreamMessage? {
    do throws(APIFailure) {
      let root = try await call("STREAM.MSG.GET.\(stream)", body)
      guard let message = root["message"].flatMap({ StreamMessage($0) }) else {
        throw .log(.corrupt("The brokers' reply has no message."))
      }
      return message
    } catch {
      if case .api(10037, _) = error { return nil }
      throw error.logError
    }
  }

  // MARK: API

  /// Why a call of the brokers' API has failed.
  enum APIFailure: Error {
    case log(LogError)
    /// An error of the API with its code.
    case api(Int, String)

    var logError: LogError {
      switch self {
      case .log(let error): error
      case .api(let code, let text): .unavailable("The brokers reject a request: \(code) \(text)")
      }
    }
  }

  /// Calls the brokers' API; repeats the call while there is no leader.
  ///
  /// - Parameters:
  ///   - name: The name of the call, with its stream.
  ///   - body: The request, as JSON.
  ///   - time: The maximum time to wait, in milliseconds, or `nil` for `cluster.wait`.
  /// - Returns: The reply.
  /// - Throws: The error of the brokers, or if they do not reply.
  func call(
    _ name: String, _ body: [UInt8] = [], within time: Int64? = nil
  ) async throws(APIFailure) -> JSONElement {
    let deadline = ContinuousClock.now + .milliseconds(time ?? engine.wait)
    var pause = RetryPause()
    while true {
      let reply: NATSMessage
      do throws(LogError) {
        reply = try await engine.request(
          body, to: "$JS.API.\(name)",
          within: Int64((deadline - ContinuousClock.now) / .milliseconds(1)))
      } catch {
        throw .log(error)
      }
      guard let root = try? JSONDocument(parsing: reply.payload).root else {
        throw .log(.unavailable("The brokers' reply is no JSON."))
      }
      guard let error = root["error"] else { return root }
      let code: Int = error["err_code"]?.integer() ?? 0
      let isTemporary = [10008, 10009, 10023].contains(code)
      guard isTemporary, ContinuousClock.now < deadline else {
        throw .api(code, error["description"]?.string ?? "")
      }
      try? await Task.sleep(for: .milliseconds(pause.take()))
    }
  }

  /// The subjects of a stream that match a filter.
  func subjects(
    of stream: String, matching filter: String
  ) async throws(LogError) -> [String] {
    var subjects: [String] = []
    while true {
      var body: [UInt8] = []
      body.put("{\"subjects_filter\":", string: filter)
      body.put(",\"offset\":", subjects.count)
      body.put("}")
      let root: JSONElement
      do throws(APIFailure) {
        root = try await call("STREAM.INFO.\(stream)", body)
      } catch {
        throw error.logError
      }
      let page = root["state"]?["subjects"]?.members ?? []
      subjects += page.map(\.name)
      guard !page.isEmpty, subjects.count < root["total"]?.integer() ?? 0 else { return subjects }
    }
  }
}
