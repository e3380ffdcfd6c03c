internal import ReactorHost
internal import ReactorLog
internal import Telemetry

/// Marks whose quarantine all processes of a store share.
protocol SharedMarking: ActionMarking, MetricsSource {
  /// Moves the quarantine entries of the previous process into the store.
  ///
  /// Must be called before actions are executed. If the store is not available, the entries stay in
  /// this process. Blocks.
  func share() throws(LogError)
}
