internal import ReactorCoding
internal import ReactorLog
internal import Synchronization

/// The values of globals: one record per global in META.
final class GlobalStore: Sendable {
  /// The last record of a global.
  private struct Record {
    let sequence: Int
    let payload: [UInt8]

    /// A global that was never set.
    static let none = Record(sequence: 0, payload: Array("{\"f\":1}".utf8))

    /// A global whose record was replaced by another process, or by a write without an outcome.
    static let stale = Record(sequence: -1, payload: [])
  }

  private let store: NATSStore
  private let known = Mutex<[String: Record]>([:])

  init(store: NATSStore) {
    self.store = store
  }

  /// The stored value of a global, or `nil` for none.
  func value(_ name: String) async throws(LogError) -> SharedValue? {
    let record = try await read(name)
    guard record.payload != Record.none.payload else { return nil }
    guard let value = SharedValue(record: record.payload) else {
      throw .corrupt("The record of the global \(name) cannot be read.")
    }
    return value
  }

  private func read(_ name: String) async throws(LogError) -> Record {
    let message = try await store.reader.last(store.names.global(name), in: store.names.meta)
    let record = message.map { Record(sequence: $0.sequence, payload: $0.payload) } ?? .none
    known.withLock { $0[name] = record }
    return record
  }

  /// Sets a global.
  ///
  /// Fails with `LogError.lost(to:)` if another process has set the global since this object last
  /// read or set it; the caller must then read it again.
  func set(
    _ value: SharedValue, as name: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    guard let last = known.withLock({ $0[name] }) else {
      return store.executor.detach { [self] in
        do throws(LogError) {
          _ = try await read(name)
          set(value, as: name, completion: completion)
        } catch {
          store.executor.complete { completion(.failure(error)) }
        }
      }
    }
    guard last.sequence >= 0 else {
      return store.executor.complete { completion(.failure(.lost(to: nil))) }
    }
    let payload = value.record
    // A void message repeats the value that it follows.
    store.append(
      payload, void: { last.payload }, to: store.names.global(name), in: store.names.meta,
      expecting: last.sequence
    ) { [self] result in
      known.withLock { known in
        known[name] = (try? result.get()).map { Record(sequence: $0, payload: payload) } ?? .stale
      }
      if case .success = result { store.didCommit() }
      store.executor.complete { completion(result.map { _ in }) }
    }
  }
}

extension SharedValue {
  // `f` format · `e` epoch · `v` version · `r` revision · `j` value
  var record: [UInt8] {
    var text: [UInt8] = []
    text.put("{\"f\":1,\"e\":", string: epoch)
    text.put(",\"v\":", version)
    text.put(",\"r\":", revision)
    text.put(",\"j\":", json: json)
    text.put("}")
    return text
  }

  init?(record: [UInt8]) {
    guard let root = try? JSONDocument(parsing: record).root, root["f"]?.integer() == 1,
      let epoch = root["e"]?.string, let version: Int = root["v"]?.integer(),
      let revision = root["r"]?.integer(as: UInt64.self), let json = root["j"]?.json
    else { return nil }
    self.init(epoch: epoch, version: version, revision: revision, json: json)
  }
}
