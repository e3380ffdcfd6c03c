internal import Testing

/// Everything that needs a server and clients on loopback.
///
/// One after the other: each has threads and sockets of its own, and some have hundreds.
@Suite(.serialized) enum OverSockets {}
