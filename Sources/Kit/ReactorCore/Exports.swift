// One import suffices for a file with a reactor, as with ReactorKit, which re-exports RxSwift.
@_exported public import ReactorStreams
