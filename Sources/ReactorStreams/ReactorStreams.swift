// ReactorStreams
