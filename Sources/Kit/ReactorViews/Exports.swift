// One import suffices for a file with a view.
@_exported public import ReactorCore
