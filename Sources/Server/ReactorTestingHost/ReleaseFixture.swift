internal import ReactorCoding
public import ReactorHost
internal import ReactorLog

/// Sessions that an earlier release has written, for a test that this release reads them.
///
/// The earlier release writes the file, which is committed with the tests:
///
/// ```sh
/// reactord log export --sample 20 --drop '/people/*/email' --drop /join/email > release-1.jsonl
/// ```
///
/// ```swift
/// @Test func `release 2 reads what release 1 has stored`() async throws {
///   let fixture = try ReleaseFixture(text: String(contentsOf: file, encoding: .utf8))
///   #expect(try await fixture.problems(with: [Board.registration]) == [])
/// }
/// ```
public struct ReleaseFixture: Sendable {
  private let log: FixtureLog

  /// Reads the lines of an export.
  ///
  /// - Throws: If the text is not an export of sessions.
  public init(text: String) throws {
    log = try FixtureLog(text.split(separator: "\n"))
  }

  /// The number of sessions.
  public var sessionCount: Int { log.sessions.count }

  /// Folds all sessions, and decodes their accepted actions and timers.
  ///
  /// A State that the earlier release has folded must be a part of the one that this release folds:
  /// members may be added to objects, and nothing else may differ.
  ///
  /// - Parameters:
  ///   - registrations: The reactors of this release.
  ///   - pointers: JSON Pointers of parts of the State that may differ, because this release has removed
  ///     or changed them; `*` matches any name or index.
  /// - Returns: One line per problem; empty if this release reads everything.
  /// - Throws: If a pointer is malformed.
  public func problems(
    with registrations: [ReactorRegistration], ignoring pointers: [String] = []
  ) async throws -> [String] {
    let ignored = try pointers.map { try JSONPointer($0).tokens }
    let host = Host(registrations, log: log)
    var problems: [String] = []
    for session in log.sessions {
      guard let reactor = host.reactor(session.key.reactor) else {
        problems.append("\(session.key): no reactor is registered under this name")
        continue
      }
      let found = await Self.problems(of: session, in: reactor, ignoring: ignored)
      problems += found.map { "\(session.key): \($0)" }
    }
    return problems + (try host.checkTypes().kinds.map(\.description))
  }

  private static func problems(
    of session: FixtureLog.Session, in reactor: any HostedReactor, ignoring ignored: [[String]]
  ) async -> [String] {
    let version = session.expected?.version ?? session.version
    do throws(LogError) {
      let cursor = Cursor(epoch: session.stored.epoch, version: version)
      guard let json = try await reactor.storedState(session.key.id, at: cursor) else {
        return ["version \(version) cannot be folded: entries before it are missing"]
      }
      guard let expected = session.expected?.state,
        let state = try? JSONCoder.decode(JSONValue.self, from: json)
      else { return [] }
      return differences(from: expected, to: state, at: [], ignoring: ignored)
    } catch {
      return ["\(error)"]
    }
  }

  /// The parts of a value that another one does not have, or has with another content.
  private static func differences(
    from old: JSONValue, to new: JSONValue?, at path: [String], ignoring ignored: [[String]]
  ) -> [String] {
    let isIgnored = ignored.contains { pattern in
      pattern.count == path.count && zip(pattern, path).allSatisfy { $0 == "*" || $0 == $1 }
    }
    guard !isIgnored else { return [] }
    func text(_ value: JSONValue?) -> String {
      value.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "nothing"
    }
    switch (old, new) {
    case (.object(let members), .object):
      return members.flatMap {
        differences(from: $0.value, to: new?[$0.name], at: path + [$0.name], ignoring: ignored)
      }
    case (.array(let elements), .array(let others)) where elements.count == others.count:
      return elements.indices.flatMap {
        differences(
          from: elements[$0], to: others[$0], at: path + ["\($0)"], ignoring: ignored)
      }
    default:
      guard old != new else { return [] }
      let place = path.map { "/" + $0 }.joined()
      return ["\"\(place)\" was \(text(old)) and is \(text(new))"]
    }
  }
}
