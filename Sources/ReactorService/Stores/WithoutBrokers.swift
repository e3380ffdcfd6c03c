#if !NATS
  extension ServiceContext {
    /// Throws an error: this build has no client of brokers.
    func openBrokers(_ addresses: String) async throws(ConfigurationError) -> OpenStore {
      throw .withoutBrokers
    }

    func execute(_ task: StoreTask, atBrokers addresses: String) async throws {
      throw ConfigurationError.withoutBrokers
    }
  }

  extension QuarantineTask {
    func execute(
      _ configuration: Configuration, atBrokers addresses: String
    ) async throws(ConfigurationError) {
      throw .withoutBrokers
    }
  }

  extension ConfigurationError {
    /// The error of a build without the package trait `NATS`.
    fileprivate static var withoutBrokers: ConfigurationError {
      .configuration(
        "store: this build cannot use brokers (nats://); build it with the package trait NATS, which "
          + "is the default, or use sqlite:PATH")
    }
  }
#endif
