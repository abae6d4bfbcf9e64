/** The smallest and the largest numbers of the rules. A test compares them with the contract file. */
export const policyLimits = {
  numbers: {
    loanDays: [0, 3650],
    renewals: [0, 99],
    maxLoans: [0, 999],
    maxHolds: [0, 999],
    holdDays: [1, 60],
    historyDays: [0, 3650],
    dueSoonDays: [0, 30],
  },
  overdueDays: { each: [1, 365], most: 5 },
  closedDates: 400,
  mailNote: 1000,
} as const;

export type NumberField = keyof typeof policyLimits.numbers;

/** A whole number as people write it, or NaN. */
export function whole(text: string): number {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : NaN;
}
