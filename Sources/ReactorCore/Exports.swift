// A file with a reactor needs one import, as with ReactorKit, which re-exports RxSwift: its streams
// are part of what a reactor is written in.
@_exported public import ReactorStreams
