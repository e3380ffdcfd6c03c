extension Duration {
  /// The duration, clamped to 100 years in either direction.
  ///
  /// Its components fit in `Int64`, as nanoseconds too, and its sum with a time does not overflow.
  /// `components` of a longer duration can trap; a client can send one as JSON.
  package var clamped: Duration {
    min(max(self, .seconds(-3_155_760_000)), .seconds(3_155_760_000))
  }
}
