/// A kind of store, for tests that run over several kinds.
enum StoreKind: String, CaseIterable {
  case memory, sqlite, postgres

  /// The kinds whose stores outlive the process.
  static let durable = allCases.filter { $0 != .memory }

  /// Returns the flags of a new store, the same for each process that uses it.
  func flags(_ name: String, in folder: TemporaryFolder) throws -> [String] {
    switch self {
    case .memory: ["--store", "memory"]
    case .sqlite: ["--store", "sqlite:\(folder[name + ".db"])"]
    case .postgres: try ReactordProcess.newDatabase()
    }
  }
}
