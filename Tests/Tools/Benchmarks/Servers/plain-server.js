// The workload of reactord in plain Node.js without a framework: counter sessions in memory, actions
// decoded and reduced, the State in the response and in events to all subscribers, encoded once. A
// contestant of `make bench`; prints its address.
'use strict';

const http = require('node:http');

const sessions = new Map();

function sessionOf(id) {
  let session = sessions.get(id);
  if (session === undefined) {
    session = { state: { value: 0 }, version: 0, subscribers: new Set() };
    sessions.set(id, session);
  }
  return session;
}

function reduce(state, action) {
  if (action === 'increase') return { value: state.value + 1 };
  if (action === 'decrease') return { value: state.value - 1 };
  if (Number.isInteger(action?.add)) return { value: state.value + action.add };
  throw new TypeError('not an action of the counter');
}

function event(session, json) {
  return Buffer.from(`id: plain-${session.version}\ndata: ${json}\n\n`);
}

function act(session, body, response) {
  let json;
  try {
    session.state = reduce(session.state, JSON.parse(body));
    json = JSON.stringify(session.state);
  } catch {
    response.writeHead(422).end();
    return;
  }
  session.version += 1;
  if (session.subscribers.size > 0) {
    const bytes = event(session, json);
    for (const subscriber of session.subscribers) subscriber.write(bytes);
  }
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(json),
    ETag: `"plain-${session.version}"`,
  });
  response.end(json);
}

function watch(session, response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(event(session, JSON.stringify(session.state)));
  session.subscribers.add(response);
  response.on('close', () => session.subscribers.delete(response));
}

const address = /^\/v1\/reactors\/counter\/sessions\/([^/]+)\/(actions|events)$/;

const server = http.createServer((request, response) => {
  const parts = address.exec(request.url);
  if (parts === null) {
    response.writeHead(404).end();
  } else if (parts[2] === 'actions' && request.method === 'POST') {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => act(sessionOf(parts[1]), Buffer.concat(chunks).toString(), response));
  } else if (parts[2] === 'events' && request.method === 'GET') {
    watch(sessionOf(parts[1]), response);
  } else {
    response.writeHead(405).end();
  }
});

server.keepAliveTimeout = 3600_000;
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
