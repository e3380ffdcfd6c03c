internal import ReactorLog
internal import SystemThreads

/// A write that is not complete.
final class PendingWrite: Sendable {
  let request: WriteRequest
  /// The log of the session that requests it, or `nil` for a global and for maintenance.
  let session: PostgresSessionLog?
  /// The revision that the global must have, or `nil` for a global without a value.
  let revision: UInt64?
  /// The time at which the request fails without a response of the database, in ``Clock/milliseconds``.
  let deadline: Int64
  /// Whether it is written in a group of its own, because the group that contained it was rejected.
  let isAlone: Bool

  init(
    _ request: WriteRequest, of session: PostgresSessionLog? = nil, revision: UInt64? = nil,
    deadline: Int64, isAlone: Bool = false
  ) {
    self.request = request
    self.session = session
    self.revision = revision
    self.deadline = deadline
    self.isAlone = isAlone
  }

  /// The same write in a group of its own.
  var alone: PendingWrite {
    PendingWrite(request, of: session, revision: revision, deadline: deadline, isAlone: true)
  }

  /// The row that the write changes; a group has at most one write of each.
  enum Subject: Hashable {
    case session(SessionKey)
    case snapshot(SessionKey)
    case global(String)
  }

  var subject: Subject? {
    switch request.operation {
    case .create(let key, _, _, _), .append(let key, _, _, _), .end(let key): .session(key)
    case .fork(_, _, let key, _, _): .session(key)
    case .save(let key, _, _): .snapshot(key)
    case .share(_, let name): .global(name)
    case .maintenance: nil
    }
  }
}

/// The writes of one transaction, in the order of their requests.
struct WriteGroup {
  /// The maximum number of writes, and of their bytes unless there is only one.
  static let bound = 1024
  static let byteBound = 8 << 20

  private(set) var writes: [PendingWrite] = []
  private var subjects: Set<PendingWrite.Subject> = []
  private var size = 0
  /// The number of the group, which the writer's row has after the commit.
  var number: Int64 = 0
  /// The results that the server has sent.
  var received = 0
  /// The meaning of the results.
  var roles: [GroupEncoder.Role] = []
  /// The stamps of the writes that have changed nothing.
  var lost: Set<Int64> = []
  /// The number of the last change, or `nil` without changes.
  var latestChange: Int?
  var error: PostgresError?
  /// Whether its writes have failed because the database sent no response.
  var isExpired = false

  /// Adds a write.
  ///
  /// - Returns: `false` if it belongs to the next group.
  mutating func add(_ write: PendingWrite) -> Bool {
    guard
      writes.isEmpty
        || writes.count < Self.bound && size + write.request.size <= Self.byteBound
          && !write.isAlone && writes.first?.isAlone != true
    else { return false }
    if let subject = write.subject, !subjects.insert(subject).inserted { return false }
    writes.append(write)
    size += write.request.size
    return true
  }

  /// The stamp of a write: the value of the column in the rows that it changes.
  static func stamp(_ number: Int64, _ place: Int) -> Int64 { number << 16 | Int64(place) }

  /// The results of the committed writes.
  func results() -> [Result<Void, LogError>] {
    writes.indices.map { place in
      lost.contains(Self.stamp(number, place)) ? .failure(.lost(to: nil)) : .success(())
    }
  }
}
