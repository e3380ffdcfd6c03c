"""A driver of the client for the terminal, whose path is in TERMINAL_CLIENT: `reactord watch` and `reactord send`."""

import json
import os
import re
import subprocess
import sys
import threading

PROGRAM = os.environ["TERMINAL_CLIENT"]
output = threading.Lock()


def show(**message):
    with output:
        print(json.dumps(message), flush=True)


def follow(watch):
    for line in watch.stdout:
        show(state=json.loads(line))
    show(ended=True)


def send(address, action):
    result = subprocess.run(
        [PROGRAM, "send", address, json.dumps(action)], capture_output=True, text=True)
    if result.returncode == 0:
        return show(sent=True, state=json.loads(result.stdout or "null"))
    # The line of an error ends in its status and its code.
    status = re.search(r"\((\d{3})(?:, code (\w+))?\)", result.stderr)
    show(sent=True, error={
        "status": int(status[1]) if status else 0, "code": status[2] if status else None,
        "text": result.stderr})


def main(url):
    address = f"{url}/#/counter/demo"
    watch = subprocess.Popen([PROGRAM, "watch", "--json", address], stdout=subprocess.PIPE, text=True)
    threading.Thread(target=follow, args=[watch], daemon=True).start()
    for line in sys.stdin:
        threading.Thread(target=send, args=[address, json.loads(line)["send"]], daemon=True).start()
    watch.kill()
    watch.wait()


if __name__ == "__main__":
    main(sys.argv[1])
