/// The thread of a store that completes commits: every session waits for it, so it executes no long work.
package enum CompletionThread {
  /// Whether this thread completes commits; checked by assertions, in debug builds only.
  @TaskLocal package static var isCurrent = false
}
