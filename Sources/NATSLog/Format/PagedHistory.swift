internal import ReactorLog

/// A history as pages, and the entries after them, which are too few for a page.
struct PagedHistory: Equatable, Sendable {
  var pages = HistoryIndex()
  /// The version before the first retained entry, and the sequence of the milestone at that
  /// version; 0 if no entries were deleted.
  var floor = 0
  var snapshot = 0
  /// The version before `entries`.
  var version = 0
  var entries: [LogEntry] = []
  var outcomes: [StoredOutcome] = []
  /// The keys of the outcomes in the pages, or `nil` if they are not known.
  var keys: PagedKeys? = PagedKeys()

  /// The version of the last entry.
  var lastVersion: Int { version + entries.count }
}
