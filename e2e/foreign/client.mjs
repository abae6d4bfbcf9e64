// Sends requests with Node's fetch. What it reads and prints is described in
// client.py; the authority is named by NODE_EXTRA_CA_CERTS.
import { createInterface } from 'node:readline'

const piece = new Uint8Array(65536).fill(120)

function pieces(size) {
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if (sent >= size) return controller.close()
      controller.enqueue(piece)
      sent += piece.length
    },
  })
}

for await (const line of createInterface({ input: process.stdin })) {
  const [name, method, url, size, framing, , times, ...lines] = line.split('\t')
  const headers = lines.map((header) => header.split(/: (.*)/s, 2))
  for (let i = 0; i < Number(times); i++) {
    const body = framing === 'chunked' ? pieces(Number(size)) : Buffer.alloc(Number(size), 120)
    let status = 0
    let text
    try {
      const answer = await fetch(url, { method, headers, body, duplex: 'half', signal: AbortSignal.timeout(20_000) })
      status = answer.status
      text = await answer.text()
    } catch (wrong) {
      text = `${wrong} ${wrong.cause}`
    }
    console.log([name, status, text.split(/\s+/).join(' ')].join('\t'))
  }
}
