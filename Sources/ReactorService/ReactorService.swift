// ReactorService
