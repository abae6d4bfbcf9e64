// The same questions as in server.js, with the tables, indexes and triggers of the program, which has made the
// database. What it writes is what the program writes: the loan, the stock, two changes, and a note for caches.
import { randomUUID } from 'node:crypto'

export function open (db, fail) {
  // So the program says that a transaction publishes what it changes.
  db.function('sqlite_compileoption_used', () => 1)
  const userByEmail = db.prepare('SELECT id, first_name, last_name FROM users WHERE email_key = ?')
  const theBook = db.prepare('SELECT seq, id, isbn, title, description, authors FROM books WHERE id = ?')
  const copies = db.prepare(`SELECT c.id, l.id AS loan, l.user_id AS borrower, l.due_at AS due FROM copies c
    LEFT JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL WHERE c.book_id = ? ORDER BY c.seq`)
  const policy = db.prepare(`SELECT loan_days, max_loans, (SELECT count(*) FROM loans WHERE user_id = ? AND returned_at IS NULL) AS open,
    (SELECT count(*) FROM holds WHERE book_id = ? AND ended_at IS NULL) AS held FROM policy`)
  const openLoan = db.prepare('INSERT INTO loans (id, book_id, book_title, book_authors, copy_id, user_id, borrowed_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const closeLoan = db.prepare('UPDATE loans SET returned_at = ? WHERE id = ? AND returned_at IS NULL')
  const stock = db.prepare('UPDATE stock SET copies = ?, available = ?, waiting = 0, lent = ?, ready = 0, borrowed = ?, due_at = ? WHERE seq = ?')
  const change = db.prepare('INSERT INTO changes (kind, subject, borrowed, available, step, person) VALUES (?, ?, ?, ?, ?, ?)')
  const invalidate = db.prepare('INSERT INTO changed_books (books) VALUES (?)')

  const load = (id, user) => {
    const b = theBook.get(id)
    if (!b) throw fail(404, 'There is no such book.')
    const all = copies.all(id)
    return { b, all, own: all.find(c => c.borrower === user.id), lent: all.filter(c => c.loan).length, rules: policy.get(user.id, id) }
  }
  const shown = ({ b, all }, user, lent, due) => ({
    identifier: b.id, isbn: b.isbn, title: b.title, description: b.description, authors: JSON.parse(b.authors),
    copies: all.length, available: all.length - lent, borrowed: lent === all.length,
    ...(due && { borrowedBy: { identifier: user.id, firstName: user.first_name, lastName: user.last_name }, dueAt: new Date(due).toISOString() })
  })
  const publish = ({ b, all }, user, lent, due, kind, loan, step) => {
    const borrowed = Number(lent === all.length)
    stock.run(all.length, all.length - lent, lent, borrowed, borrowed && due ? due * 1000 : null, b.seq)
    change.run('loan', loan, 0, 0, step, user.id)
    change.run(kind, b.id, borrowed, all.length - lent, 0, null)
    invalidate.run(b.id.slice(24))
  }
  const borrow = db.transaction((id, user) => {
    const found = load(id, user)
    const { b, all, own, lent, rules } = found
    if (own) return shown(found, user, lent, own.due / 1000)
    const free = all.find(c => !c.loan)
    if (!free || rules.held || (rules.max_loans && rules.open >= rules.max_loans)) throw fail(409, 'The book cannot be borrowed.')
    const loan = randomUUID()
    const due = Date.now() + rules.loan_days * 86400e3
    openLoan.run(loan, id, b.title, b.authors, free.id, user.id, Date.now() * 1000, due * 1000)
    publish(found, user, lent + 1, due, 'borrowed', loan, 1)
    return shown(found, user, lent + 1, due)
  })
  const giveBack = db.transaction((id, user) => {
    const found = load(id, user)
    const { own, lent } = found
    if (!own) throw lent ? fail(403, 'Somebody else has the book.') : fail(409, 'The book is not borrowed.')
    closeLoan.run(Date.now() * 1000, own.loan)
    publish(found, user, lent - 1, null, 'returned', own.loan, 3)
    return shown(found, user, lent - 1, null)
  })
  return { userByEmail, borrow, giveBack }
}
