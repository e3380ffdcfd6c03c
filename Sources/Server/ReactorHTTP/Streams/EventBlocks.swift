internal import ReactorTransport
internal import Zlib

/// The latest events of a channel in compressed form, shared by its compressed streams.
///
/// An event has at most two forms: one that any client can decode, and one for the clients whose last decoded bytes
/// are the event of the version before, which refers to these bytes. The second is as small as the change.
/// Both are created when a stream first needs them, so that a channel without compressed streams has none.
struct EventBlocks {
  /// A compressed event, and the checksum of its text.
  struct Block {
    let chunk: StreamChunk
    let sum: GzipBlocks.Checksum
  }

  /// The beginning of an event with its cursor.
  struct Name: Equatable {
    private static let field = Array("id: ".utf8)

    let version: Int
    /// The line of the cursor.
    let line: [UInt8]

    /// Reads the name of an event, or returns `nil` for any other output.
    init?(_ chunk: StreamChunk) {
      let text = chunk.framed[chunk.payload]
      guard text.starts(with: Self.field), let end = text.firstIndex(of: UInt8(ascii: "\n")),
        let dash = text[..<end].lastIndex(of: UInt8(ascii: "-"))
      else { return nil }
      var version = 0
      for digit in text[(dash + 1)..<end] {
        guard (0x30...0x39).contains(digit), version < 1 << 58 else { return nil }
        version = version * 10 + Int(digit & 15)
      }
      // A copy: the slice would retain the whole event.
      line = Array(text[..<end])
      self.version = version
    }
  }

  private struct Entry {
    let name: Name
    var whole: Block?
    /// The form for clients with the event of this name.
    var following: (before: Name, block: Block)?
  }

  /// The maximum number of events.
  static let bound = 16

  private var entries: [Entry] = []

  /// Returns a form of an event, or `nil` if no stream has needed it.
  func block(of name: Name, after before: Name?) -> Block? {
    guard let entry = entries.last(where: { $0.name == name }) else { return nil }
    guard let before else { return entry.whole }
    return entry.following.flatMap { $0.before == before ? $0.block : nil }
  }

  /// Whether the event is so old that its forms are not retained.
  func isBefore(_ name: Name) -> Bool {
    entries.count == Self.bound && entries.allSatisfy { $0.name.version > name.version }
  }

  /// Retains a form of an event; removes the oldest event above the bound.
  mutating func add(_ block: Block, of name: Name, after before: Name?) {
    let index = entries.lastIndex { $0.name == name } ?? append(name)
    if let before {
      entries[index].following = (before, block)
    } else {
      entries[index].whole = block
    }
  }

  /// Appends an event without a form, and returns the index.
  private mutating func append(_ name: Name) -> Int {
    if entries.count == Self.bound {
      let oldest = entries.indices.min { entries[$0].name.version < entries[$1].name.version }
      entries.remove(at: oldest ?? 0)
    }
    entries.append(Entry(name: name))
    return entries.count - 1
  }
}
