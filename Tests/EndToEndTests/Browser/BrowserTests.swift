import Testing

// The suites run beside each other, and the tests of each one after the other: a browser keeps a core
// busy.

/// `/reactor.js` in a browser.
@Suite(.blocking, .serialized)
struct ClientBrowserTests {}

/// The inspector.
@Suite(.blocking, .serialized)
struct InspectorBrowserTests {}

/// The examples, and accessibility and screenshots of all pages.
@Suite(.blocking, .serialized)
struct GalleryBrowserTests {}
