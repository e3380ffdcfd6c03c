internal import ReactorLog

/// The feed of changes, as the writes and the cleaning of the store need it.
protocol StoreFeed: ChangeFeed {
  /// This process has committed a message.
  func didCommit()

  /// The sequence of a LOG stream up to which the changes are in the feed.
  func position(of stream: Int) -> Int

  /// Ends reading and writing.
  func stop()
}
