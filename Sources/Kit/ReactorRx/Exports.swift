// Files that import this module use the streams as well.
@_exported public import ReactorStreams
