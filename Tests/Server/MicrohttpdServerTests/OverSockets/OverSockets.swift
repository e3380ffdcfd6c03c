internal import Testing

/// Tests that need a server and clients on loopback.
///
/// In sequence: each has threads and sockets of its own, and some have hundreds.
@Suite(.serialized) enum OverSockets {}
