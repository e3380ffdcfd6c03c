internal import NATSClient
internal import ReactorCoding
internal import ReactorLog
internal import SystemThreads

/// Creates the streams of a store, or checks those that exist.
struct StoreSetup: Sendable {
  /// A stream of a store.
  struct Stream: Equatable, Sendable {
    let name: String
    let subjects: [String]
    /// The number of messages that are retained per subject; -1 for all.
    let messagesPerSubject: Int
    /// Whether the stream is in memory, and retains messages for 15 seconds.
    var isVolatile = false
    /// Whether a full stream rejects messages instead of deleting the oldest ones.
    var rejectsWhenFull = false
  }

  let reader: StreamReader
  let names: StoreNames
  let replicas: Int
  /// Whether changes are retained.
  let hasFeed: Bool
  /// How long to wait for a leader, in milliseconds.
  let wait: Int64

  /// The streams of the store.
  var streams: [Stream] {
    let prefix = names.prefix
    var streams = [
      Stream(
        name: names.meta,
        subjects: ["g", "q", "t", "w"].map { "\(prefix).\($0).>" } + ["\(prefix).c"],
        messagesPerSubject: 1)
    ]
    streams += (0..<names.logStreams).map {
      Stream(
        name: names.log($0), subjects: ["\(prefix).l.\($0).>"], messagesPerSubject: -1,
        rejectsWhenFull: true)
    }
    streams += (0..<StoreNames.snapshotStreams).map {
      Stream(
        name: names.snapshots($0), subjects: ["\(prefix).s.\($0).>"],
        messagesPerSubject: SnapshotRecord.retained)
    }
    streams += (0..<StoreNames.snapshotStreams).map {
      Stream(
        name: names.pages($0), subjects: ["\(prefix).h.\($0).>"], messagesPerSubject: -1,
        rejectsWhenFull: true)
    }
    if hasFeed {
      streams.append(
        Stream(
          name: names.feed, subjects: [names.feedSubject], messagesPerSubject: -1,
          rejectsWhenFull: true))
    }
    streams.append(
      Stream(
        name: "\(prefix)-LIVE", subjects: ["\(prefix).v.*"], messagesPerSubject: 1,
        isVolatile: true))
    return streams
  }

  /// Creates or checks the streams and the store's own settings.
  func prepare() async throws(NATSLogError) {
    let streams = streams
    // META first: it has the settings that the others depend on.
    try await prepare(streams[0])
    try await checkSettings()
    for stream in streams.dropFirst() { try await prepare(stream) }
  }

  /// Creates a stream, or checks it if it exists.
  func prepare(_ stream: Stream) async throws(NATSLogError) {
    do throws(StreamReader.APIFailure) {
      if try await exists(stream) { return }
      do throws(StreamReader.APIFailure) {
        try await create(stream)
      } catch {
        // Another node may have created it at the same time.
        guard case .api = error, try await exists(stream) else { throw error }
      }
    } catch {
      throw failure(error, stream.name)
    }
  }

  /// Creates a stream; waits while another node is creating it.
  ///
  /// If the stream is assigned to brokers, but not created yet, the brokers respond with the
  /// information from its leader, which does not have the stream: it is not found.
  private func create(_ stream: Stream) async throws(StreamReader.APIFailure) {
    let end = Clock.milliseconds + wait
    var pause = RetryPause()
    while true {
      do throws(StreamReader.APIFailure) {
        _ = try await reader.call(
          "STREAM.CREATE.\(stream.name)", configuration(of: stream), within: wait)
        return
      } catch {
        guard case .api(10059, _) = error, Clock.milliseconds < end else { throw error }
      }
      try? await Task.sleep(for: .milliseconds(pause.take()))
    }
  }

  /// Returns whether a stream exists, and checks its configuration.
  ///
  /// Waits while the stream is being created: a broker without a cluster responds with the
  /// information of a stream that has no store yet, and nats-server 2.9.10 ends with a panic if a
  /// message of that stream is read.
  private func exists(_ stream: Stream) async throws(StreamReader.APIFailure) -> Bool {
    let end = Clock.milliseconds + wait
    var pause = RetryPause()
    while true {
      let root: JSONElement
      do throws(StreamReader.APIFailure) {
        root = try await reader.call("STREAM.INFO.\(stream.name)", within: wait)
      } catch {
        guard case .api(10059, _) = error else { throw error }
        return false
      }
      guard let configuration = root["config"] else {
        throw .log(.corrupt("The stream \(stream.name) has no configuration."))
      }
      try check(stream, configuration)
      // The broker sets the time of the creation together with the store: wait until then.
      guard root["created"]?.string?.hasPrefix("0001-") == true else { return true }
      guard Clock.milliseconds < end else {
        throw .log(.unavailable("The stream \(stream.name) is being created."))
      }
      try? await Task.sleep(for: .milliseconds(pause.take()))
    }
  }

  /// Checks an existing stream.
  private func check(
    _ stream: Stream, _ configuration: JSONElement
  ) throws(StreamReader.APIFailure) {
    let subjects = (configuration["subjects"]?.elements ?? []).compactMap(\.string)
    let perSubject: Int? = configuration["max_msgs_per_subject"]?.integer()
    guard Set(subjects) == Set(stream.subjects),
      perSubject ?? -1 == stream.messagesPerSubject
        || stream.messagesPerSubject < 0 && perSubject ?? 0 <= 0
    else {
      throw .api(
        10058, "the stream \(stream.name) belongs to another program or store; set cluster.name")
    }
    let stored = configuration["num_replicas"]?.integer() ?? 1
    guard stored == replicas else {
      throw .api(
        10058,
        "cluster.replicas is \(replicas), but the stream \(stream.name) has \(stored)")
    }
  }

  private func configuration(of stream: Stream) -> [UInt8] {
    var body: [UInt8] = []
    body.put("{\"name\":", string: stream.name)
    body.put(",\"subjects\":")
    body.put(list: stream.subjects) { $0.put(string: $1) }
    body.put(",\"retention\":\"limits\",\"max_consumers\":-1,\"max_msgs\":-1,\"max_bytes\":-1")
    body.put(",\"max_msgs_per_subject\":", stream.messagesPerSubject)
    body.put(",\"max_age\":", stream.isVolatile ? 15_000_000_000 : 0)
    body.put(",\"discard\":", string: stream.rejectsWhenFull ? "new" : "old")
    body.put(",\"storage\":", string: stream.isVolatile ? "memory" : "file")
    body.put(",\"num_replicas\":", replicas)
    // Longer than an append can be in flight: a leader without a quorum steps down within 20 s.
    body.put(",\"duplicate_window\":", stream.isVolatile ? 15_000_000_000 : 60_000_000_000)
    body.put("}")
    return body
  }

  /// Writes the settings that are fixed with the store, or compares them.
  private func checkSettings() async throws(NATSLogError) {
    let stored: [UInt8]
    do throws(LogError) {
      guard let settings = try await storedSettings() else { return }
      stored = settings
    } catch {
      throw NATSLogError(error.reason, isTemporary: true)
    }
    guard let root = try? JSONDocument(parsing: stored).root else {
      throw NATSLogError("\(names.configuration) is not the record of a store")
    }
    guard root["f"]?.integer() == LogMessage.format else {
      throw NATSLogError("the store \(names.prefix) has a format that this release cannot read")
    }
    let streams: Int = root["streams"]?.integer() ?? 0
    guard streams == names.logStreams else {
      throw NATSLogError(
        "cluster.streams is \(names.logStreams), but the store \(names.prefix) was created with "
          + "\(streams)")
    }
  }

  /// The settings of the store; writes them and returns `nil` if it has none.
  private func storedSettings() async throws(LogError) -> [UInt8]? {
    if let stored = try await reader.last(names.configuration, in: names.meta) {
      return stored.payload
    }
    let settings = Array("{\"f\":\(LogMessage.format),\"streams\":\(names.logStreams)}".utf8)
    let reply = AppendReply(
      try await reader.engine.request(
        settings, to: names.configuration,
        headers: [("Nats-Expected-Last-Subject-Sequence", "0")], within: wait))
    if case .stored = reply { return nil }
    // Another node may have written them at the same time.
    guard case .otherSequence = reply,
      let stored = try await reader.last(names.configuration, in: names.meta)
    else { throw .unavailable("The settings of the store cannot be written: \(reply)") }
    return stored.payload
  }

  private func failure(_ error: StreamReader.APIFailure, _ stream: String) -> NATSLogError {
    switch error {
    case .log(let error):
      NATSLogError(
        "JetStream does not reply; is it enabled on the brokers? (\(error.reason))",
        isTemporary: true)
    case .api(let code, _) where code == 10074 || code == 10005:
      // 10074: one broker without a cluster; 10005: fewer brokers than replicas,
      // which is also the state of brokers that have just started and have not connected yet.
      NATSLogError(
        "cluster.replicas is \(replicas), but there are fewer brokers; start more or lower it",
        isTemporary: code == 10005)
    case .api(10039, _), .api(10076, _):
      NATSLogError("JetStream is not enabled for this account")
    case .api(10065, _):
      NATSLogError(
        "the subjects of \(stream) belong to another program's stream; set cluster.name")
    case .api(10058, let text): NATSLogError(text)
    case .api(let code, let text):
      NATSLogError(
        "the brokers reject the stream \(stream): \(text) (\(code))",
        isTemporary: [10008, 10009, 10023, 10059].contains(code))
    }
  }
}

extension LogError {
  /// The reason as one line.
  var reason: String {
    switch self {
    case .unavailable(let text), .corrupt(let text):
      text.hasSuffix(".") ? String(text.dropLast()) : text
    default: "\(self)"
    }
  }
}
