internal import ClientCore
internal import Dispatch
internal import Foundation
internal import ReactorCoding
internal import Synchronization

/// The last States of sessions in the files of one folder, for a start without a network.
///
/// A State is written a second after its arrival, and the latest one before the client pauses or closes.
/// On Apple's platforms the files are encrypted while the device is locked; then none is read or written.
final class StateStore: Sendable {
  private struct Contents: Sendable {
    /// The States that are not written, or `nil` for a session whose State is to be removed.
    var pending: [String: SessionState?] = [:]
    var isErased = false
  }

  /// The size of the JSON of a State, beyond which it is not stored.
  static let sizeLimit = 1_048_576

  private let folder: URL
  /// The number of States, beyond which the oldest are removed.
  private let bound: Int
  private let queue = DispatchQueue(label: "reactor-states", qos: .utility)
  private let contents = Mutex(Contents())

  init(_ folder: URL, bound: Int) {
    self.folder = folder
    self.bound = bound
  }

  /// Stores the State of a session; `nil` removes it.
  func save(_ key: String, _ state: SessionState?) {
    let isFirst = contents.withLock { contents in
      guard !contents.isErased else { return false }
      defer { contents.pending[key] = .some(state) }
      return contents.pending.isEmpty
    }
    if isFirst { queue.asyncAfter(deadline: .now() + 1) { [self] in write() } }
  }

  /// Writes the States that are pending.
  func flush() {
    queue.async { [self] in write() }
  }

  /// Waits until ``flush()`` has ended.
  func finish() {
    queue.sync {}
  }

  /// Removes all States, and stores none from now on.
  func erase() {
    contents.withLock { $0 = Contents(isErased: true) }
    queue.sync {
      for file in files { try? FileManager.default.removeItem(at: file) }
    }
  }

  /// Reads the State of a session, or returns `nil` if there is none of this type.
  func load<State: Decodable>(_ key: String, as type: State.Type) -> State? {
    guard let data = try? Data(contentsOf: url(key)),
      let end = data.firstIndex(of: UInt8(ascii: "\n")),
      data[..<end].elementsEqual(key.utf8),
      let document = try? JSONDocument(parsing: Array(data[(end + 1)...]))
    else { return nil }
    return try? StateJSON.document(document).decode(type)
  }

  private var files: [URL] {
    let all = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    return all?.filter { $0.pathExtension == "state" } ?? []
  }

  /// The file of a session: the name is a hash, since names of files can ignore the case.
  private func url(_ key: String) -> URL {
    let hash = key.utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
    return folder.appending(path: String(hash, radix: 16) + ".state")
  }

  private func write() {
    let pending = contents.withLock { contents in
      defer { contents.pending = [:] }
      return contents.pending
    }
    guard !pending.isEmpty else { return }
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for (key, state) in pending {
      let json = state?.json.value.bytes ?? []
      guard !json.isEmpty, json.count <= Self.sizeLimit else {
        try? FileManager.default.removeItem(at: url(key))
        continue
      }
      try? Data(Array(key.utf8) + [UInt8(ascii: "\n")] + json).write(to: url(key), options: options)
    }
    let date = { (file: URL) in
      (try? file.resourceValues(forKeys: [.contentModificationDateKey]))?.contentModificationDate
        ?? .distantPast
    }
    let surplus = files.count - bound
    guard surplus > 0 else { return }
    for file in files.map({ ($0, date($0)) }).sorted(by: { $0.1 < $1.1 }).prefix(surplus) {
      try? FileManager.default.removeItem(at: file.0)
    }
  }

  private var options: Data.WritingOptions {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      [.atomic, .completeFileProtection]
    #else
      .atomic
    #endif
  }
}
