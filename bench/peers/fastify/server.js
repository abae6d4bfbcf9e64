// What a careful engineer would write with Fastify for the same questions, as its
// documentation advises: JSON schemas for answers, @fastify/jwt for tokens, and
// better-sqlite3 with prepared statements and a write-ahead log.
//
//   node server.js DATABASE KEY.pem ISSUER BOOKS
//   node server.js DATABASE KEY.pem ISSUER        loans and returns in a database of the program: see alike.js
import { existsSync, readFileSync } from 'node:fs'
import Fastify from 'fastify'
import jwt from '@fastify/jwt'
import Database from 'better-sqlite3'
import { open as openAlike } from './alike.js'
import { open as openSmall } from './small.js'

const [file, key, issuer, books] = process.argv.slice(2)
const isNew = !existsSync(file)
const db = new Database(file)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.pragma('foreign_keys = ON')
const fail = (status, message) => Object.assign(new Error(message), { statusCode: status })
const { userByEmail, page, count, found, countFound, one, shown, borrow, giveBack } = books ? openSmall(db, isNew, books, fail) : openAlike(db, fail)

const text = { type: 'string' }
const person = { type: 'object', properties: { identifier: text, firstName: text, lastName: text } }
const book = {
  type: 'object',
  properties: {
    identifier: text, isbn: text, title: text, description: text, authors: { type: 'array', items: text },
    copies: { type: 'integer' }, available: { type: 'integer' }, borrowed: { type: 'boolean' }, borrowedBy: person, dueAt: text
  }
}

const app = Fastify({ logger: false })
await app.register(jwt, { secret: { public: readFileSync(key) }, verify: { algorithms: ['RS256'], allowedIss: issuer, allowedAud: 'library-service', cache: true } })
app.addHook('onRequest', async request => {
  await request.jwtVerify()
  request.caller = userByEmail.get(request.user.email.toLowerCase())
  if (!request.caller) throw fail(401, 'Bad credentials')
})
const lender = async request => {
  if (!request.user.scope.split(' ').includes('library_user')) throw fail(403, 'Forbidden')
}
const answers = schema => ({ schema: { response: { 200: schema } } })
const base = '/library-server/books'
app.get(base, answers({ type: 'array', items: book }), (request, reply) => {
  const limit = Number(request.query.limit ?? -1)
  const query = request.query.q?.split(' ').map(word => `"${word.replaceAll('"', '""')}"`).join(' ')
  reply.header('X-Total-Count', (query ? countFound.get(query) : count.get()).n)
  return reply.send((query ? found.all(query, limit) : page.all(limit)).map(b => shown(b, request.caller)))
})
app.get(base + '/:id', answers(book), (request, reply) => {
  const b = one.get(request.params.id)
  if (!b) throw fail(404, 'There is no such book.')
  return reply.send(shown(b, request.caller))
})
app.post(base + '/:id/borrow', { ...answers(book), onRequest: lender }, (request, reply) => reply.send(borrow.immediate(request.params.id, request.caller)))
app.post(base + '/:id/return', { ...answers(book), onRequest: lender }, (request, reply) => reply.send(giveBack.immediate(request.params.id, request.caller)))

await app.listen({ host: '127.0.0.1', port: 0 })
console.error(`listening addr=127.0.0.1:${app.server.address().port}`)
