import Testing

/// What only a browser can tell.
///
/// One after the other: a Chromium keeps a machine busy, and several at once make each other wait.
@Suite(.blocking, .serialized)
struct BrowserTests {}
