extension StreamLoad {
  /// The report of the load generator; times in milliseconds, memory in bytes.
  struct Outcome: Decodable {
    let streams: Streams
    let actions: Actions
    let deliveries: Deliveries
    /// The times from sending an action to its response.
    let response: Times
    /// The times from the scheduled time of an action to its response, which include delays of the
    /// load generator.
    let due: Times
    /// The times from sending an action to each receipt of its event.
    let receipt: Times
    let processor: Processor
    let resident: Resident
    let streamGrowth: [Step]
    let actionGrowth: [Step]

    struct Streams: Decodable {
      let established: Int
      let rejected: Int
      let lost: Int
    }

    struct Actions: Decodable {
      let sent: Int
      let completed: Int
      let failed: Int
      let perSecond: Double
      let backlog: Int
      let seconds: Double
      let failedStatus: Int
      let failure: String
    }

    struct Deliveries: Decodable {
      let perSecond: Double
      let events: Int
      let expected: Int
      let matched: Int
      let missed: Int
      let skipped: Int
      let repeated: Int
      let atEnd: Int
      let stalledAtEnd: Int
    }

    struct Times: Decodable {
      let count: Int
      let mean: Double
      let p50: Double
      let p90: Double
      let p99: Double
      let max: Double
    }

    /// CPU shares.
    struct Processor: Decodable {
      let load: Double
      let server: Double
    }

    struct Resident: Decodable {
      let before: Double
      let connected: Double
      let peak: Double
      let after: Double
    }

    struct Step: Decodable {
      let count: Int
      let seconds: Double
      let resident: Double
    }

    /// Throws if streams or actions failed, which invalidates every other figure.
    func check(_ contestant: Contestant, expecting streams: Int, count: Int? = nil) throws {
      guard self.streams.established == streams, self.streams.lost == 0 else {
        throw BenchmarkError(
          "\(contestant.name): of \(streams) streams \(self.streams.established) were opened, "
            + "\(self.streams.lost) lost")
      }
      guard actions.failed == 0 else {
        throw BenchmarkError(
          "\(contestant.name): \(actions.failed) actions failed, "
            + "\(actions.failedStatus) \(actions.failure)")
      }
      guard count == nil || actions.completed == count else {
        throw BenchmarkError(
          "\(contestant.name): of \(count ?? 0) actions \(actions.completed) were completed")
      }
      guard deliveries.repeated == 0 else {
        throw BenchmarkError(
          "\(contestant.name): \(deliveries.repeated) events were repeated or out of order")
      }
    }
  }
}
