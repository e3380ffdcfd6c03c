// ReactorHost
