-- What wrk sends: one action, over and over.
wrk.method = "POST"
wrk.body = "\"increase\""
wrk.headers["Content-Type"] = "application/json"
