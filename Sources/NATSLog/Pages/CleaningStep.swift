internal import ReactorLog

/// The steps of cleaning, in order; each is durable before the next one begins.
enum CleaningStep: String, CaseIterable, Sendable {
  /// Nothing was written for this session.
  case begin
  /// A page was written that no message names.
  case wrotePage
  /// All pages are written.
  case wrotePages
  /// The anchor is appended; the pages that it no longer names still exist.
  case anchored
  /// The pages that the anchor no longer names are deleted.
  case deleted
  /// All sessions of a stream have an anchor, and their old messages still exist.
  case willCut
  /// The old messages are deleted.
  case cut
}

/// Called between the steps; an error ends the cleaning there, as the end of the process would.
typealias CleaningHook = @Sendable (CleaningStep) throws(LogError) -> Void
