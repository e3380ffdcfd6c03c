"""A small webhook that decides as a test says.

    webhook.py SECRET

Prints its port. POST /decide is a question. POST /set takes the next answers as JSON: status, body, headers,
and delay in seconds before it, or "close" to close the connection. GET /questions lists the questions, each with
"isSigned": whether its field has the authentication code of its body.
"""
import hashlib, hmac, json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

answer = {}
questions = []
secret = sys.argv[1].encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, body, status=200, headers={}):
        body = body.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply(json.dumps(questions))

    def do_POST(self):
        global answer
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/set":
            answer = json.loads(body)
            return self.reply("")
        code = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
        signed = hmac.compare_digest(code, self.headers["X-Hub-Signature-256"])
        questions.append({**json.loads(body), "isSigned": signed})
        time.sleep(answer.get("delay", 0))
        if "close" in answer:
            self.close_connection = True
            return
        text = answer.get("body", "") * answer.get("times", 1)
        self.reply(text, answer.get("status", 200), answer.get("headers", {}))

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
