internal import ReactorHost
internal import ReactorLog
internal import Telemetry

/// Marks whose quarantine all processes of a store share.
protocol SharedMarking: ActionMarking, MetricsSource {
  /// Moves the entries of the process before this one into the store.
  ///
  /// Must be called before actions are executed. Without the store they stay in this process.
  func share() async throws(LogError)
}
