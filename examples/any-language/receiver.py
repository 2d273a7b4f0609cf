import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from verify import receive


def handle(event):
    if event["type"] == "vote.recorded":
        print(event["data"]["userId"], "has voted", flush=True)


class Webhooks(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(receive(self.headers, body, handle))
        self.end_headers()


HTTPServer((os.environ.get("HOST", ""), int(os.environ.get("PORT", 8080))), Webhooks).serve_forever()
