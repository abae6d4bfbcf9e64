// A small library with tables of its own: what a careful engineer would begin with.
import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'

export function open (db, isNew, books, fail) {
  if (isNew) {
    db.exec(`
    CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, first_name TEXT NOT NULL, last_name TEXT NOT NULL);
    CREATE TABLE books (id TEXT PRIMARY KEY, isbn TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL, authors TEXT NOT NULL);
    CREATE INDEX books_by_title ON books (title, id);
    CREATE TABLE loans (id TEXT PRIMARY KEY, book_id TEXT NOT NULL REFERENCES books, user_id TEXT NOT NULL REFERENCES users,
      borrowed_at INTEGER NOT NULL, due_at INTEGER NOT NULL, returned_at INTEGER);
    CREATE UNIQUE INDEX loans_one_open ON loans (book_id) WHERE returned_at IS NULL;
    CREATE INDEX loans_by_user ON loans (user_id);
    CREATE VIRTUAL TABLE words USING fts5 (title, description, isbn, content = books);`)
    db.transaction(() => {
      const { readers, list } = JSON.parse(readFileSync(books))
      for (const r of readers) db.prepare('INSERT INTO users VALUES (?, ?, ?, ?)').run(r.id, r.email, r.firstName, r.lastName)
      for (const b of list) db.prepare('INSERT INTO books VALUES (?, ?, ?, ?, ?)').run(b.id, b.isbn, b.title, b.description, JSON.stringify(b.authors))
      db.exec(`INSERT INTO words (words) VALUES ('rebuild')`)
    })()
  }

  const select = `SELECT b.*, l.user_id AS borrower, l.due_at FROM books b LEFT JOIN loans l ON l.book_id = b.id AND l.returned_at IS NULL `
  const page = db.prepare(select + 'ORDER BY b.title, b.id LIMIT ?')
  const count = db.prepare('SELECT count(*) AS n FROM books')
  const found = db.prepare(select + 'WHERE b.rowid IN (SELECT rowid FROM words WHERE words MATCH ?) ORDER BY b.title, b.id LIMIT ?')
  const countFound = db.prepare('SELECT count(*) AS n FROM words WHERE words MATCH ?')
  const one = db.prepare(select + 'WHERE b.id = ?')
  const userByEmail = db.prepare('SELECT * FROM users WHERE email = ?')
  const open = db.prepare('INSERT INTO loans (id, book_id, user_id, borrowed_at, due_at) VALUES (?, ?, ?, ?, ?)')
  const close = db.prepare('UPDATE loans SET returned_at = ? WHERE book_id = ? AND returned_at IS NULL')

  const shown = (b, user) => ({
    identifier: b.id, isbn: b.isbn, title: b.title, description: b.description, authors: JSON.parse(b.authors),
    copies: 1, available: b.borrower ? 0 : 1, borrowed: Boolean(b.borrower),
    ...(b.borrower === user.id && {
      borrowedBy: { identifier: user.id, firstName: user.first_name, lastName: user.last_name }, dueAt: new Date(b.due_at).toISOString()
    })
  })

  const borrow = db.transaction((id, user) => {
    const b = one.get(id)
    if (!b) throw fail(404, 'There is no such book.')
    if (b.borrower && b.borrower !== user.id) throw fail(409, 'The book is already borrowed.')
    if (!b.borrower) open.run(randomUUID(), id, user.id, Date.now(), Date.now() + 28 * 86400e3)
    return one.get(id)
  })
  const giveBack = db.transaction((id, user) => {
    const b = one.get(id)
    if (!b) throw fail(404, 'There is no such book.')
    if (!b.borrower) throw fail(409, 'The book is not borrowed.')
    if (b.borrower !== user.id) throw fail(403, 'Somebody else has the book.')
    close.run(Date.now(), id)
    return one.get(id)
  })
  return {
    userByEmail, page, count, found, countFound, one, shown,
    borrow: { immediate: (id, user) => shown(borrow.immediate(id, user), user) },
    giveBack: { immediate: (id, user) => shown(giveBack.immediate(id, user), user) }
  }
}
