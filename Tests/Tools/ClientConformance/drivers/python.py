"""A driver of the client for Python."""

import asyncio
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "Sources/Client/Python"))
import reactord  # noqa: E402


def show(**message):
    print(json.dumps(message), flush=True)


async def follow(session):
    try:
        async for state in session.states():
            show(state=state)
        show(ended=True)
    except reactord.Problem as problem:
        show(ended=str(problem))


async def send(session, action):
    try:
        show(sent=True, state=await session.send(action))
    except reactord.Problem as problem:
        show(sent=True, error={"status": problem.status, "code": problem.code})


async def main(url):
    async def token():
        async with reactord.AsyncClient(url) as client:
            return (await client.request("GET", "token")).json()

    async with reactord.AsyncClient(url, token=token) as client:
        session = client.session("counter", "demo")
        work = {asyncio.create_task(follow(session))}
        while line := await asyncio.to_thread(sys.stdin.readline):
            work.add(asyncio.create_task(send(session, json.loads(line)["send"])))
        for task in work:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
